/** The contract's exit statuses, and which error ends with which. */

export const exitStatus = {
  done: 0,
  failed: 1,
  usage: 64,
  unhealthy: 69,
  defect: 70,
  held: 73,
  store: 74,
  escalated: 75,
  configuration: 78
} as const

export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

export const isExitStatus = (status: number): status is ExitStatus => Object.values<number>(exitStatus).includes(status)

const byTag: Readonly<Record<string, ExitStatus>> = {
  ConfigError: exitStatus.configuration,
  ListenFailed: exitStatus.configuration,
  HomeHeld: exitStatus.held,
  AccountHeld: exitStatus.held,
  NotReplaced: exitStatus.held,
  HomeUnusable: exitStatus.store,
  StoreError: exitStatus.store,
  Escalated: exitStatus.escalated,
  GaveUp: exitStatus.defect,
  Stood: exitStatus.defect
}

export const statusOf = (error: { readonly _tag: string }): ExitStatus => byTag[error._tag] ?? exitStatus.failed
