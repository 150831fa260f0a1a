import type http from "node:http";
import { sendText } from "../listener/side-server.ts";
import { LOG_LEVELS, type Logger } from "../log/logger.ts";

/** The maximum size of a request body, in bytes: more than the longest level with spaces around it. */
const MAX_BYTES = 64;

/** Sends the current log level. */
export function getLogLevel(log: Logger, response: http.ServerResponse): void {
  sendText(response, 200, log.level);
}

/** Sets the log level until it is set again, the configuration is reloaded, or the process exits. */
export async function putLogLevel(
  log: Logger,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BYTES) break;
  }
  const level = LOG_LEVELS.find((each) => each === text.trim());
  if (level === undefined) {
    sendText(response, 400, `expected a body that is one of ${LOG_LEVELS.join(", ")}`);
    return;
  }
  log.info({ from: log.level, to: level }, "log level changed");
  log.level = level;
  sendText(response, 200, level);
}
