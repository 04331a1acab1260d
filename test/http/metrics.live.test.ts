/** `/metrics` over the real graph and real HTTP, read as Prometheus reads it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { ask, post } from "../asking.ts"
import { feishuOf, until } from "../service.ts"
import { served } from "./served.ts"

const measured = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provideService(test, Metric.MetricRegistry, new Map<string, never>())

/** Each series with its value; dies where a line is none of the format's. */
const seriesOf = (text: string): ReadonlyMap<string, number> => {
  const line = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})?) (-?[\d.e+-]+|\+Inf|NaN)$/
  const lines = text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))
  return new Map(
    lines.map((each) => {
      const [, name, value] = line.exec(each) ?? assert.fail(`no series: ${each}`)
      return [name ?? "", Number(value)]
    })
  )
}

const scrape = (url: string) => Effect.map(ask(`${url}/metrics`), ({ text }) => seriesOf(text))

describe("/metrics", () => {
  it.live("has help and type for each name, every one of them ours, and none twice", () =>
    Effect.gen(function* () {
      const { url } = yield* served({ cron: [{ id: "daily", schedule: "@daily", deliverTo: "local:me", text: "hi" }] })
      yield* post(`${url}/api/chat`, { text: "hello" })
      yield* until(scrape(url), (all) => all.get('evergate_turn_duration_seconds_count{outcome="ok"}') === 1)

      const { headers, text } = yield* ask(`${url}/metrics`)

      const names = [...seriesOf(text).keys()].map((name) => name.replace(/\{.*/, ""))
      const types = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name = ""]) => name)
      const helps = [...text.matchAll(/^# HELP (\S+) \S.*$/gm)].map(([, name = ""]) => name)
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.deepStrictEqual(types, helps)
      assert.strictEqual(new Set(types).size, types.length)
      assert.deepStrictEqual(
        names.filter((name) => !types.includes(name.replace(/_(?:bucket|sum|count)$/, "")) && !types.includes(name)),
        []
      )
      assert.deepStrictEqual(
        types.filter((name) => !name.startsWith("evergate_")),
        []
      )
    }).pipe(measured)
  )

  it.live("tells what became of a message, and of the process", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      yield* post(`${url}/api/chat`, { text: "hello" })
      const delivered = 'evergate_deliveries_total{platform="local",outcome="delivered"}'
      const all = yield* until(scrape(url), (each) => each.get(delivered) === 1)

      const expected = {
        evergate_inbox_accepted_total: 1,
        evergate_inbox_duplicates_total: 0,
        'evergate_inbox_unprocessed{platform="local"}': 0,
        'evergate_outbox_messages{state="delivered"}': 1,
        'evergate_ack_latency_seconds_count{platform="local"}': 1,
        'evergate_link_state{platform="local",kind="local",state="connected"}': 1,
        'evergate_health{health="ok"}': 1,
        'evergate_health{health="down"}': 0,
        'evergate_build_info{version="0.1.0"}': 1,
        'evergate_part_overdue_seconds{part="ticker"}': 0,
        evergate_cron_running: 1,
        evergate_store_ok: 1
      }
      assert.deepStrictEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, all.get(key)])), expected)
      for (const name of [
        "fibers",
        "heap_used_bytes",
        "heap_limit_bytes",
        "store_bytes",
        "cron_last_tick_timestamp_seconds"
      ]) {
        assert.isAbove(all.get(`evergate_${name}`) ?? 0, 0)
      }
    }).pipe(measured)
  )

  it.live("F222: a platform that is away is deaf, and for how long, while nobody can say that all is well", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      const { url } = yield* served({ platforms: [feishuOf(peer, { domain: "http://127.0.0.1:1" })] })
      const deaf = 'evergate_link_deaf_seconds_total{platform="feishu"}'

      const all = yield* until(scrape(url), (each) => (each.get(deaf) ?? 0) > 1)

      assert.strictEqual(all.get('evergate_health{health="down"}'), 1)
      assert.strictEqual(all.get('evergate_link_state{platform="feishu",kind="feishu",state="connected"}'), 0)
      assert.strictEqual(all.get('evergate_link_connects_total{platform="feishu"}'), 0)
      assert.isAbove(
        [...all.keys()].filter((key) => key.startsWith('evergate_link_failures_total{platform="feishu"')).length,
        0
      )
    }).pipe(measured)
  )
})
