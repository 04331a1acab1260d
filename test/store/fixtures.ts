/** What the store's tests share: a fresh database in memory, and events, messages and jobs to put in. */
import { Layer } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import type { MessageArrived, PromptDue } from "../../src/domain/Inbound.ts"
import type { Job } from "../../src/domain/Job.ts"
import { JobId } from "../../src/domain/Job.ts"
import type { Outbound } from "../../src/domain/Outbound.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import { SessionKey } from "../../src/domain/Session.ts"
import { TurnId } from "../../src/domain/Turn.ts"
import * as Sqlite from "../../src/layers/Sqlite.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import type { NewEntry } from "../../src/store/InboxStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"

const stores = Layer.mergeAll(InboxStore.layer, OutboxStore.layer, JobStore.layer, LinkStore.layer)

export const storesIn = (filename: string) =>
  stores.pipe(
    Layer.provideMerge(Database.layer({ url: `sqlite:${filename}` })),
    Layer.provideMerge(Sqlite.layer({ filename }))
  )

export const memory = stores.pipe(
  Layer.provideMerge(Database.layer({ url: "sqlite::memory:" })),
  Layer.provideMerge(Sqlite.layerMemory)
)

export const feishu = PlatformId.make("feishu")
export const session = SessionKey.make("feishu:oc_1")

export const message = (eventId: string, change: Partial<MessageArrived> = {}): MessageArrived => ({
  _tag: "MessageArrived",
  platform: feishu,
  eventId,
  messageId: `om_${eventId}`,
  revision: 0,
  chat: { id: "oc_1", type: "group" },
  thread: null,
  sender: { id: "ou_1", name: "Ada", kind: "person" },
  text: `text of ${eventId}`,
  attachments: [],
  mentioned: true,
  replyTo: null,
  sentAt: 1000,
  ...change
})

export const entry = (
  event: MessageArrived,
  change: Partial<NewEntry<MessageArrived>> = {}
): NewEntry<MessageArrived> => ({
  event,
  session,
  turn: TurnId.make(`t_${event.platform}_${event.eventId}`),
  receivedAt: 1000,
  ...change
})

export const reply = (id: string, change: Partial<Outbound> = {}): Outbound => ({
  id: DeliveryId.make(id),
  address: { platform: feishu, chat: "oc_1", thread: null },
  text: `says ${id}`,
  replyTo: null,
  ...change
})

export const job = (id: string, change: Partial<Job> = {}): Job => ({
  id: JobId.make(id),
  schedule: "0 9 * * *",
  timezone: "Asia/Shanghai",
  deliverTo: { platform: feishu, chat: "oc_1", thread: null },
  action: { _tag: "Prompt", prompt: "Summarise" },
  misfire: { policy: "once", withinMillis: null },
  overlap: "skip",
  source: "file",
  createdAt: 1000,
  ...change
})

export const prompt = (jobId: string, scheduledAt: number): NewEntry<PromptDue> => ({
  event: {
    _tag: "PromptDue",
    job: jobId,
    scheduledAt,
    deliverTo: { platform: feishu, chat: "oc_1", thread: null },
    prompt: "Summarise"
  },
  session,
  turn: TurnId.make(`t_${jobId}_${scheduledAt}`),
  receivedAt: scheduledAt
})
