/** Parts for tests of adapters and of apps that embed the gateway: platforms that fail as told, in memory and on loopback. */
export * as Census from "./Census.ts"
export * as FakePlatform from "./FakePlatform.ts"
export * as FeishuPeer from "./feishu/FeishuPeer.ts"
export * as MemoryFeishu from "./feishu/MemoryFeishu.ts"
export * as MemoryHttp from "./MemoryHttp.ts"
export * as MemoryTransport from "./MemoryTransport.ts"
export * as Peer from "./Peer.ts"
export * as Simulation from "./Simulation.ts"
