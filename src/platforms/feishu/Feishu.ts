/**
 * Feishu and Lark over their long connection: bootstrap → WebSocket → frames. **Feishu** → translate → Connection. Everything
 * that goes out is REST; only pings and acknowledgements leave by the socket. It never reconnects by itself.
 */
import type { Scope } from "effect"
import { Array as Arr, Clock, Duration, Effect, Hash, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import type { Access } from "../../domain/access.ts"
import type { PlatformId } from "../../domain/Address.ts"
import { ConnectTimeout, LinkError } from "../../domain/LinkError.ts"
import type { LinkSettings } from "../../domain/LinkSettings.ts"
import { monotonicMillisOf } from "../../domain/monotonic.ts"
import type { Capabilities, Link, Platform } from "../Platform.ts"
import { PlatformHost } from "../Platform.ts"
import type { Socket } from "../Transport.ts"
import { Transport } from "../Transport.ts"
import type { Brand, Endpoint } from "./bootstrap.ts"
import { bootstrap, readRejection } from "./bootstrap.ts"
import { pingEvery } from "./clientConfig.ts"
import { examine } from "./examine.ts"
import type { Identity } from "./identity.ts"
import { makeIdentity } from "./identity.ts"
import type { Receiver } from "./receive.ts"
import { isFrame, makeReceiver } from "./receive.ts"
import { makeRest } from "./rest.ts"
import type { Credentials } from "./token.ts"
import { translate } from "./translate.ts"
import * as wire from "./wire.ts"

/** An account. A proxy of its own is an `Egress` of its own, provided to its layer. */
export interface Options {
  readonly id: PlatformId
  readonly appId: string
  readonly appSecret: Redacted.Redacted
  /** feishu, lark, or the base URL of a private deployment. */
  readonly domain: string
  readonly access: Access
  readonly link: LinkSettings
}

/** A text may have 150 KB; a character takes up to three bytes, or six where JSON escapes it. */
const capabilities: Capabilities = {
  textLimit: 25_000,
  idempotencyLife: Duration.hours(1),
  accountRates: [
    { sends: 50, per: Duration.seconds(1) },
    { sends: 1000, per: Duration.minutes(1) }
  ],
  chatRates: [{ sends: 5, per: Duration.seconds(1) }]
}

/** What a connection is made from. */
interface Account {
  readonly options: Options
  readonly credentials: Credentials
  readonly brand: Brand
  readonly http: HttpClient
  readonly transport: Transport["Service"]
  readonly identity: Identity
}

/** The adapter, attached to nothing yet. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Platform, never, Transport | HttpClient> {
  const http = yield* HttpClient
  const transport = yield* Transport
  const [base, brand] = baseOf(options.domain)
  const credentials: Credentials = { base, appId: options.appId, appSecret: options.appSecret }
  const rest = yield* makeRest(http, credentials)
  const account: Account = { options, credentials, brand, http, transport, identity: makeIdentity(rest) }
  return {
    id: options.id,
    kind: "feishu",
    settings: options.link,
    access: options.access,
    capabilities,
    fingerprint: fingerprintOf(credentials),
    connect: () => connect(account),
    send: rest.send,
    diagnosis: {
      origin: base,
      examine: examine({ askForAddress: askForAddress(account), rest, ...options, base, brand })
    }
  }
})

/** The account, connected and kept connected while the layer lives. */
export const layer = (options: Options): Layer.Layer<never, never, PlatformHost | Transport | HttpClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const host = yield* PlatformHost
      yield* host.attach(yield* make(options))
    })
  )

/** Where an account lives, and by which name its errors are read. */
export const baseOf = (domain: string): readonly [base: string, brand: Brand] => {
  switch (domain) {
    case "feishu":
      return ["https://open.feishu.cn", "feishu"]
    case "lark":
      return ["https://open.larksuite.com", "lark"]
    default:
      return [domain.replace(/\/+$/, ""), "custom"]
  }
}

const fingerprintOf = ({ base, appId, appSecret }: Credentials): string =>
  (Hash.string(JSON.stringify([base, appId, Redacted.value(appSecret)])) >>> 0).toString(16)

const connect = Effect.fn("Feishu.connect")(function* (
  account: Account
): Effect.fn.Return<Link, LinkError, Scope.Scope> {
  const { options, brand, transport, identity } = account
  const [endpoint] = yield* Effect.all([askForAddress(account), identity.learn], { concurrency: 2 })
  const socket = yield* transport.open({
    platform: options.id,
    url: endpoint.url,
    timeout: options.link.connectTimeout,
    onRejected: readRejection(brand),
    counts: isFrame
  })
  yield* identity.keepAsking
  const clock = yield* Clock.Clock
  const receiver = makeReceiver({
    config: endpoint.config,
    translate: (json) =>
      translate(json, {
        platform: options.id,
        appId: options.appId,
        botId: identity.botId(),
        nowMillis: clock.currentTimeMillisUnsafe()
      }),
    send: socket.send,
    nowMillis: () => monotonicMillisOf(clock)
  })
  return linkOf(options.link, endpoint, socket, receiver)
})

const askForAddress = ({ options, credentials, brand, http }: Account): Effect.Effect<Endpoint, LinkError> =>
  bootstrap(http, credentials, brand).pipe(
    Effect.timeoutOrElse({
      duration: options.link.connectTimeout,
      orElse: () =>
        Effect.fail(
          new ConnectTimeout({ step: "bootstrap", afterMillis: Duration.toMillis(options.link.connectTimeout) })
        )
    }),
    Effect.mapError((reason) => new LinkError({ platform: options.id, reason }))
  )

const linkOf = ({ heartbeat }: LinkSettings, endpoint: Endpoint, socket: Socket, receiver: Receiver): Link => ({
  host: socket.host,
  frames: Stream.mapArray(Stream.fromQueue(socket.messages), Arr.map(receiver.receive)),
  liveness: {
    path: { interval: heartbeat.interval, timeout: heartbeat.timeout, ping: socket.ping },
    session: {
      _tag: "Answered",
      first: Duration.zero,
      every: Effect.sync(() => pingEvery(heartbeat.interval, receiver.config())),
      within: heartbeat.timeout,
      beat: socket.send(wire.encode(wire.ping(endpoint.service)))
    }
  },
  heard: Effect.map(socket.heard, ({ byteAt, messageAt }) => ({ byteAt, frameAt: messageAt })),
  server: Effect.sync(() => ({ clientConfig: receiver.config(), skipped: receiver.skipped() }))
})
