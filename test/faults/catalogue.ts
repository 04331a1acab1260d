/**
 * Faults that users of gateways have reported, by area: what went wrong elsewhere. Each is shown by a test that carries its
 * id in its name, or has a reason why it cannot be, or waits for a part that is not built yet.
 */
export interface Fault {
  readonly id: string
  readonly area: string
  readonly fault: string
  /** Why no test can show it here. */
  readonly reason?: string
  /** What it waits for. */
  readonly later?: string
}

export const catalogue: ReadonlyArray<Fault> = [
  {
    id: "F001",
    area: "Connection lifecycle",
    fault:
      "Link drops without a close; the process stays alive ~30 h, deaf and silent, and the cron ticker dies with it"
  },
  {
    id: "F002",
    area: "Connection lifecycle",
    fault:
      'Socket lost with "no close frame" about every 30 min; each loss restarts the whole gateway (48/day), drops the healthy platforms and spams chats'
  },
  {
    id: "F003",
    area: "Connection lifecycle",
    fault:
      "The SDK receive loop / start() ends (1011 keepalive timeout, retries used up) and nobody is watching it: permanently deaf"
  },
  {
    id: "F004",
    area: "Connection lifecycle",
    fault: "Network path down for a minute; never reconnects after it returns"
  },
  {
    id: "F005",
    area: "Connection lifecycle",
    fault:
      "A retryable platform error (or a 401) ends the process or crash-loops it; scheduled jobs on a healthy host never fire"
  },
  {
    id: "F006",
    area: "Connection lifecycle",
    fault:
      "A synchronous/async send failure on the socket is swallowed and the socket is left open, so nothing ever reconnects"
  },
  {
    id: "F007",
    area: "Connection lifecycle",
    fault: "One channel's reconnect watchdog (5 min) restarts the entire gateway"
  },
  {
    id: "F008",
    area: "Connection lifecycle",
    fault:
      'The stall watchdog is reset by every raw "socket open", so open-without-READY cycles last forever with no alarm'
  },
  {
    id: "F009",
    area: "Connection lifecycle",
    fault:
      "The upgrade request is never answered; the liveness timer is armed only on open, so the attempt hangs; forced retries then ran at a flat rate"
  },
  {
    id: "F010",
    area: "Connection lifecycle",
    fault:
      "An error during the WebSocket handshake starts a new attempt without cleaning up the old one; connection count doubles each time"
  },
  {
    id: "F014",
    area: "Connection lifecycle",
    fault: 'An "error" without a following "close" leaves the client with no reconnect and a leaked keepalive interval'
  },
  {
    id: "F016",
    area: "Connection lifecycle",
    fault: "apps.connections.open returning internal_error/fatal_error ends reconnecting for good",
    later: "the Slack adapter"
  },
  {
    id: "F017",
    area: "Connection lifecycle",
    fault: "Failures while fetching the WebSocket URL (DNS, 5xx, 429) leave the client stuck"
  },
  {
    id: "F018",
    area: "Connection lifecycle",
    fault:
      "disconnect(reason too_many_websockets) during the handshake crashes the client, or a reconnect storm follows because hello resets the backoff"
  },
  {
    id: "F019",
    area: "Connection lifecycle",
    fault:
      'Planned refresh ("warning", "refresh_requested"): client disconnects and stays down, or the swap of two sockets leaves it deaf'
  },
  {
    id: "F020",
    area: "Connection lifecycle",
    fault:
      "Half-open old sockets stay registered at the platform (hello.num_connections = 10 with one real socket); interactive payloads then vanish silently",
    later: "the Slack adapter"
  },
  { id: "F021", area: "Connection lifecycle", fault: "Stopping an already disconnected client throws" },
  {
    id: "F022",
    area: "Connection lifecycle",
    fault: "Discord INVALID_SESSION with d:false leaves the shard dead",
    later: "the Discord adapter"
  },
  {
    id: "F023",
    area: "Connection lifecycle",
    fault:
      "The peer never answers the close frame; socket stuck in CLOSING and the client waits for an event that does not come"
  },
  {
    id: "F024",
    area: "Connection lifecycle",
    fault: "Identify loop burns the daily session-start limit",
    later: "the Discord adapter"
  },
  {
    id: "F025",
    area: "Connection lifecycle",
    fault: "Zombie connection closed with 1000/1001, which throws the session away",
    later: "the Discord adapter"
  },
  {
    id: "F026",
    area: "Connection lifecycle",
    fault: "Messages sent in the ~30 s reconnect window are lost because the client identifies afresh",
    later: "the Discord adapter"
  },
  {
    id: "F027",
    area: "Connection lifecycle",
    fault: "Race in the zombie/reconnect path throws outside any handler and kills the process"
  },
  {
    id: "F028",
    area: "Connection lifecycle",
    fault: '2,483 reconnects without backoff; or a zero-delay "starting session" loop'
  },
  {
    id: "F029",
    area: "Connection lifecycle",
    fault: 'Gives up after N (5) tries, or "channel exited: fetch failed" and never restarts'
  },
  {
    id: "F030",
    area: "Connection lifecycle",
    fault: 'Adapter start() resolves at once; the host treats the return as "finished" and restarts it in a loop'
  },
  {
    id: "F031",
    area: "Connection lifecycle",
    fault: "Token/endpoint fetch times out at (re)connect; tried once, then the channel is dead"
  },
  {
    id: "F032",
    area: "Connection lifecycle",
    fault: 'Option passed as undefined switches auto-reconnect off; "system busy" treated as final'
  },
  {
    id: "F033",
    area: "Connection lifecycle",
    fault: "An isReconnecting flag held while sleeping makes a second failure ignored: connection present but unusable"
  },
  {
    id: "F034",
    area: "Connection lifecycle",
    fault:
      'Log says "reconnected" but nothing is received (handlers on the old object, no re-identify, no re-subscribe)'
  },
  {
    id: "F035",
    area: "Connection lifecycle",
    fault: "After a watchdog reconnect inbound works but outbound still uses the old connection object and fails"
  },
  {
    id: "F036",
    area: "Connection lifecycle",
    fault: "SDK and host both reconnect; handlers are registered again each time, so one event is processed n times"
  },
  {
    id: "F037",
    area: "Connection lifecycle",
    fault: "Client gives up silently, or hangs at startup when the host does not resolve"
  },
  {
    id: "F038",
    area: "Connection lifecycle",
    fault: "A disabled bot's WebSocket stays open and keeps taking messages",
    later: "reload"
  },
  {
    id: "F039",
    area: "Connection lifecycle",
    fault: "Server's routine reconnect interrupts handlers that are mid-run"
  },
  {
    id: "F040",
    area: "Connection lifecycle",
    fault: 'Restart does not drain the previous start; "start account" never completes for hours'
  },
  {
    id: "F041",
    area: "Connection lifecycle",
    fault: "After an outage the platform delivers the backlog at once and hours-old commands run as if just typed"
  },
  { id: "F042", area: "Connection lifecycle", fault: "A handler that never finishes stops polling altogether" },
  {
    id: "F043",
    area: "Connection lifecycle",
    fault: "429/5xx/socket error in getUpdates kills the polling loop",
    later: "the Telegram adapter"
  },
  { id: "F044", area: "Connection lifecycle", fault: "409 at restart treated as fatal; 401 treated as retryable" },
  {
    id: "F045",
    area: "Connection lifecycle",
    fault: "Switching webhook → polling gives 409 forever; or a stale offset skips messages",
    later: "the Telegram adapter"
  },
  {
    id: "F046",
    area: "Connection lifecycle",
    fault: "Health restart/reload starts a second getUpdates loop before the first one ended",
    later: "the Telegram adapter"
  },
  {
    id: "F047",
    area: "Connection lifecycle",
    fault: "Offset confirmed before the update is durably stored; a crash loses up to 100 messages",
    later: "the Telegram adapter"
  },
  {
    id: "F048",
    area: "Heartbeat and liveness",
    fault: 'No pong timeout configured (0): half-open link after sleep/NAT drop stays "connected" until restart'
  },
  {
    id: "F049",
    area: "Heartbeat and liveness",
    fault: "Heartbeat timer lost after system sleep; no detector for a frozen/thawed process"
  },
  {
    id: "F050",
    area: "Heartbeat and liveness",
    fault: "Read has no deadline, pongs are ignored, a failed ping write is only a warning"
  },
  {
    id: "F051",
    area: "Heartbeat and liveness",
    fault:
      "Pong window of 3–5 s kills healthy links on a lossy network (211 disconnects/day; messages dropped while reconnecting)"
  },
  {
    id: "F054",
    area: "Heartbeat and liveness",
    fault: "A blocked event loop (slow start, heavy handler) trips an 8–10 s ping window"
  },
  {
    id: "F055",
    area: "Heartbeat and liveness",
    fault: "Pong timer of the previous connection survives and kills the new one"
  },
  { id: "F056", area: "Heartbeat and liveness", fault: "Low-traffic account dies for good while busy ones live" },
  {
    id: "F058",
    area: "Bootstrap and authentication",
    fault: "A synchronous/serial lookup (TLS stall, 401 loop) for one platform freezes everything else"
  },
  {
    id: "F059",
    area: "Bootstrap and authentication",
    fault:
      "Token expired after 2 h: the API answers HTTP 200 with body code 99991663, so the 401 path never runs; dead until restart"
  },
  {
    id: "F061",
    area: "Bootstrap and authentication",
    fault: "account_inactive / invalid_auth retried forever or taking the gateway down"
  },
  {
    id: "F062",
    area: "Bootstrap and authentication",
    fault: "Wrong token type retried every 1.5 s, 1,700 errors",
    later: "the Slack adapter"
  },
  {
    id: "F063",
    area: "Bootstrap and authentication",
    fault: "Discord close 4014/4013 (intents) or 4004 crashes all channels; 4003 mishandled",
    later: "the Discord adapter"
  },
  {
    id: "F064",
    area: "Bootstrap and authentication",
    fault: 'Template values ("your-token-here", "xoxb-...") count as configured'
  },
  {
    id: "F065",
    area: "Bootstrap and authentication",
    fault: "Accounts start one after another (110 s to be back), or one unreachable account blocks all"
  },
  { id: "F066", area: "DNS, proxy, TLS", fault: "Cold boot before the network is up: 3 tries in ~3 s, then dead" },
  { id: "F067", area: "DNS, proxy, TLS", fault: "A name failure becomes permanent (cached failure, stale resolver)" },
  { id: "F068", area: "DNS, proxy, TLS", fault: "Reports contradict: exit when all platforms are down vs. stay alive" },
  {
    id: "F069",
    area: "DNS, proxy, TLS",
    fault: "REST goes through the proxy, the WebSocket does not (or the reverse)"
  },
  {
    id: "F070",
    area: "DNS, proxy, TLS",
    fault: "NO_PROXY ignored for WebSocket; CIDR entries not understood; custom CA not applied"
  },
  { id: "F072", area: "DNS, proxy, TLS", fault: "Certificate checked against the proxy's host name" },
  {
    id: "F073",
    area: "DNS, proxy, TLS",
    fault: 'ENETDOWN or an unhandled "fetch failed" kills the process; the restart then trips on its own lock'
  },
  {
    id: "F074",
    area: "DNS, proxy, TLS",
    fault: "Proxy variable points to a port nobody listens on; error does not say so"
  },
  {
    id: "F075",
    area: "DNS, proxy, TLS",
    fault: "Local port/fd exhaustion makes every connect fail and the failing loop makes it worse"
  },
  {
    id: "F076",
    area: "Shutdown and drain",
    fault: "A restart asked for from inside a turn waits for that very turn until the timeout, then kills it",
    later: "a restart asked for in a chat"
  },
  {
    id: "F077",
    area: "Shutdown and drain",
    fault: "CLI deadline equals the drain budget: false warning and SIGKILL of a clean shutdown",
    later: "the `stop` command"
  },
  {
    id: "F078",
    area: "Shutdown and drain",
    fault: "Service stop timeout shorter than the drain: killed mid-cleanup, stale lock, endless restart loop",
    later: "`service install`"
  },
  { id: "F079", area: "Shutdown and drain", fault: "Drain time effectively 0.0 s: work cut at once" },
  { id: "F080", area: "Shutdown and drain", fault: "Crash during drain leaves no trace of the interrupted turn" },
  {
    id: "F081",
    area: "Shutdown and drain",
    fault: "Message arriving during the drain interrupts work or is acked and lost"
  },
  {
    id: "F082",
    area: "Shutdown and drain",
    fault: "In-band update/restart leaves the service offline after the drain timeout",
    later: "a restart asked for in a chat"
  },
  { id: "F083", area: "Shutdown and drain", fault: "SIGTERM ignored while an agent call hangs" },
  {
    id: "F084",
    area: "Shutdown and drain",
    fault: "Child started by the agent survives and blocks the service restart for 6 min",
    later: "the `command` agent"
  },
  {
    id: "F086",
    area: "Shutdown and drain",
    fault: "Kill path without a wall-clock bound freezes the loop for 61 min",
    later: "the `command` agent"
  },
  {
    id: "F087",
    area: "Shutdown and drain",
    fault: "Stop releases the lock of a running job; the next instance runs it again"
  },
  {
    id: "F088",
    area: "Cron ticker",
    fault: "An exception or cancellation ends the ticker silently; status still says running"
  },
  { id: "F089", area: "Cron ticker", fault: "A long job holds the scheduler lock; everything else waits" },
  {
    id: "F091",
    area: "Cron ticker",
    fault:
      'Timer fires 14 ms late → "not due"; next wake in the past → scheduler stalls; fixed 60 s match window starves daily jobs (39 % fired late)'
  },
  { id: "F092", area: "Cron ticker", fault: "Timer fires early (17:34:58) and again on time (17:35:01)" },
  { id: "F093", area: "Cron ticker", fault: 'One-shot "+1m" accepted with no next run' },
  { id: "F094", area: "Cron ticker", fault: "Restart right after a run executes it again" },
  {
    id: "F095",
    area: "Cron ticker",
    fault: 'Run interrupted by a crash leaves no record, or the job stays "running" forever'
  },
  { id: "F097", area: "Cron ticker", fault: "Weekday 9 o'clock job shifts by an hour after a clock change" },
  { id: "F099", area: "Cron ticker", fault: "A time inside the spring gap gives an endless loop at 100 % CPU" },
  { id: "F100", area: "Cron ticker", fault: "When clocks go back an interval-like schedule pauses a whole hour" },
  {
    id: "F101",
    area: "Cron ticker",
    fault: "Zone not stored with the job, or next run saved as wrong UTC: fires 2 h late after restart under another TZ"
  },
  { id: "F102", area: "Cron ticker", fault: "Negative delay → 1 ms spin or TimeoutNegativeWarning; or a 30 s skip" },
  { id: "F103", area: "Cron ticker", fault: "Clock moved one day ahead → the minute job runs 1,400 times" },
  {
    id: "F104",
    area: "Cron ticker",
    fault: "Missed runs: silently skipped, or fired 42 h late, or all at once after an outage; no per-job choice"
  },
  { id: "F105", area: "Cron ticker", fault: "Job added by the CLI is overwritten by the ticker's save" },
  {
    id: "F107",
    area: "Cron ticker",
    fault: "A cleanup routine deletes the job store",
    later: "`service uninstall` and `doctor`"
  },
  { id: "F108", area: "Cron ticker", fault: "Job deleted while running comes back when the run ends" },
  { id: "F109", area: "Cron ticker", fault: "Ledger says failed though delivered, or delivered though lost" },
  {
    id: "F110",
    area: "Cron ticker",
    fault: '"Deliver to origin" unresolved or origin chat deleted: output silently lost'
  },
  { id: "F111", area: "Cron ticker", fault: "Thread/topic id dropped: output lands in the general topic" },
  { id: "F112", area: "Cron ticker", fault: "Failures invisible, or the error text goes to the user channel" },
  { id: "F113", area: "Cron ticker", fault: "Crashed owner leaves the job locked forever" },
  { id: "F114", area: "Cron ticker", fault: "Next occurrence starts while the previous run is going" },
  { id: "F115", area: "Cron ticker", fault: "A callback slower than the period stops the job for good" },
  {
    id: "F116",
    area: "Dedup and acknowledgement",
    fault: "Ack sent only after the agent finished: platform redelivers, user gets two answers"
  },
  {
    id: "F117",
    area: "Dedup and acknowledgement",
    fault: "Dedup window (60 s / 5 min) shorter than or equal to the platform's retry step"
  },
  { id: "F119", area: "Dedup and acknowledgement", fault: "Two copies arrive before the first is recorded: both run" },
  {
    id: "F120",
    area: "Dedup and acknowledgement",
    fault: "Marked as seen before processing; a failure then swallows every redelivery"
  },
  {
    id: "F121",
    area: "Dedup and acknowledgement",
    fault:
      "Key built from the account only (everything is a duplicate), or shared between bots (second bot ignores a message that mentions both)"
  },
  { id: "F122", area: "Dedup and acknowledgement", fault: "Content-based dedup drops legitimate repeats" },
  {
    id: "F123",
    area: "Dedup and acknowledgement",
    fault: "Replay slips through after a session reset or profile switch"
  },
  {
    id: "F124",
    area: "Dedup and acknowledgement",
    fault: 'A replayed "restart" command restarts again and again',
    later: "commands in a chat"
  },
  {
    id: "F125",
    area: "Dedup and acknowledgement",
    fault: "Dropping every envelope with retry_attempt > 0 loses messages whose first copy never arrived",
    later: "the Slack adapter"
  },
  {
    id: "F126",
    area: "Dedup and acknowledgement",
    fault: "Ack lost with the connection; same envelope comes again on the new one; ack on a dead socket throws"
  },
  { id: "F127", area: "Dedup and acknowledgement", fault: "Edits (and link previews) trigger a second answer" },
  { id: "F129", area: "Dedup and acknowledgement", fault: "Burst is acked into an unbounded queue and lost on crash" },
  { id: "F220", area: "Observability", fault: 'Status "connected/healthy" while inbound is dead' },
  {
    id: "F221",
    area: "Observability",
    fault: 'A REST probe hides a dead WebSocket (890 attempts, "works") or the reverse'
  },
  { id: "F222", area: "Observability", fault: "Terminal disconnect unnoticed for 4 weeks; health said fine" },
  { id: "F224", area: "Observability", fault: '"Unreachable" reported when only a permission is missing' },
  { id: "F225", area: "Observability", fault: "Same line millions of times; log of several GB stops the next start" },
  { id: "F226", area: "Observability", fault: "Message not answered and no record why" },
  { id: "F228", area: "Memory and leaks", fault: "Stopping an adapter leaves the SDK socket open" },
  { id: "F229", area: "Memory and leaks", fault: "Timer leak per closed socket" },
  { id: "F230", area: "Memory and leaks", fault: "Dedup/claim map grows without bound" },
  { id: "F231", area: "Memory and leaks", fault: "Child processes never reaped", later: "the command agent" },
  { id: "F196", area: "Lock and multiple instances", fault: "Stale pid/lock after SIGKILL blocks the start" },
  { id: "F198", area: "Lock and multiple instances", fault: "Half-written lock file blocks or shows a ghost" },
  {
    id: "F199",
    area: "Lock and multiple instances",
    fault: 'Lock names the new process\'s own pid (containers): "already running"'
  },
  { id: "F200", area: "Lock and multiple instances", fault: "Two supervised instances replace each other every 30 s" },
  {
    id: "F201",
    area: "Lock and multiple instances",
    fault: "Same bot used by two homes/hosts: half of the events each, duplicates, 409; not detected by doctor"
  },
  {
    id: "F202",
    area: "Lock and multiple instances",
    fault: "CLI changes another profile's store than the running instance uses"
  },
  {
    id: "F203",
    area: "Lock and multiple instances",
    fault: 'After a respawn the pid file is stale: status says "stopped" while running'
  },
  {
    id: "F204",
    area: "Lock and multiple instances",
    fault: "In-process restart forks an orphan outside the service manager; port busy"
  },
  {
    id: "F212",
    area: "CLI and operations",
    fault: "Exit codes mixed up (0/1/75/78): supervisor loops on config errors or never restarts a crash"
  },
  {
    id: "F213",
    area: "CLI and operations",
    fault: '"Already running" exits non-zero under an always-restart manager: 3,334 restarts'
  },
  { id: "F214", area: "CLI and operations", fault: "Port in use: restart loop" },
  { id: "F215", area: "CLI and operations", fault: "stop is undone by the service manager" },
  { id: "F216", area: "CLI and operations", fault: "Installer and doctor disagree about the unit" },
  {
    id: "F217",
    area: "CLI and operations",
    fault: 'Restart loop sends 2,700 "shutting down" notices; or no "back online"'
  },
  {
    id: "F218",
    area: "CLI and operations",
    fault: "doctor checks only files/presence: green while crash-looping or with a revoked token",
    later: "doctor"
  },
  { id: "F219", area: "CLI and operations", fault: "No way to recycle one connection; only a full restart" },
  {
    id: "F205",
    area: "Configuration and secrets",
    fault: "Saving from an old snapshot overwrites a newer edit"
  },
  {
    id: "F206",
    area: "Configuration and secrets",
    fault: "Any change restarts everything; several writes → several restarts"
  },
  { id: "F207", area: "Configuration and secrets", fault: "Reload aborts a running turn and its reply is lost" },
  {
    id: "F208",
    area: "Configuration and secrets",
    fault: "Change needs a restart that never happens; nobody is told"
  },
  {
    id: "F210",
    area: "Configuration and secrets",
    fault: "Token in logs, error texts, debug reports, HTTP answers (URL contains it; library error echoes it)"
  },
  { id: "F211", area: "Configuration and secrets", fault: "Token written into the service unit" },
  {
    id: "F233",
    area: "Security and access",
    fault: "Approved by pairing but refused because an allow-list exists (or reverse)",
    later: "pairing"
  },
  {
    id: "F234",
    area: "Security and access",
    fault: "Pairing codes stored in plain text, long-lived",
    later: "pairing"
  },
  { id: "F235", area: "Security and access", fault: "Match on display name: stranger renames himself" },
  {
    id: "F236",
    area: "Security and access",
    fault: 'Pairing policy + "*" in the list = open to all, unnoticed',
    later: "pairing"
  },
  { id: "F237", area: "Security and access", fault: "DM pairing also opens groups", later: "pairing" },
  {
    id: "F238",
    area: "Security and access",
    fault: "Bot answers itself, its own status lines, or another bot, endlessly"
  },
  {
    id: "F239",
    area: "Security and access",
    fault:
      "Group mention rules: @all triggers (or should), mention inside a topic dropped, placeholders left in the text"
  },
  {
    id: "F240",
    area: "Security and access",
    fault:
      "Webhook signatures: missing/empty secret accepted, body not covered, replay for an hour, endpoint verification token unchecked",
    later: "a platform that delivers by webhook"
  },
  {
    id: "F241",
    area: "Security and access",
    fault: "Fetching a URL from a message reaches internal addresses, also through redirects",
    later: "files, which are what would be fetched"
  },
  { id: "F242", area: "Security and access", fault: "Agent text with @everyone pings the whole server" }
]
