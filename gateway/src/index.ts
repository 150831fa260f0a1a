export type { Examples } from "./console/options.ts";
export { type Gateway, type GatewayOptions, type GatewayUpstream, startGateway } from "./gateway.ts";
export { LIMIT_TABLE, type LimitEntry, type LimitName, type LimitOptions } from "./limits.ts";
export { createLogger, type Logger, type LogLevel } from "./log/logger.ts";
