export { type Gateway, type GatewayOptions, type GatewayUpstream, startGateway } from "./gateway.ts";
export { type LimitEntry, type LimitName, type LimitOptions, limitTable } from "./limits.ts";
export { createLogger, type Logger, type LogLevel } from "./log/logger.ts";
export type { Examples } from "./pages/example.ts";
