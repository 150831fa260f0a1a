export { type Gateway, type GatewayOptions, type GatewayUpstream, startGateway } from "./gateway.ts";
export { LIMIT_TABLE, type LimitEntry, type LimitName, type LimitOptions } from "./limits.ts";
export { createLogger, type Logger, type LogLevel } from "./log/logger.ts";
export type { Examples } from "./pages/example.ts";
