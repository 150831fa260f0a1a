import { isUtf8 } from "node:buffer";
import {
  type DescMessage,
  fromJsonString,
  type JsonReadOptions,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import { restoreKeys, withEscapedKeys, withoutEscapedKeys } from "./escaped-keys.ts";
import { strictJson } from "./strict-json.ts";

type Options = Partial<JsonReadOptions>;

const REPLACEMENT = "\uFFFD";
const decoder = new TextDecoder();

/**
 * Decodes a request as JSON. Bytes that are not UTF-8 become U+FFFD, which `checkText` rejects after parsing.
 * If the bytes are not JSON either, the parser's error is more helpful.
 */
export function jsonText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** @throws ConnectError INVALID_ARGUMENT for bytes that are not UTF-8 */
export function checkText(text: string, bytes: Uint8Array): void {
  if (!text.includes(REPLACEMENT) || isUtf8(bytes)) return;
  throw gatewayError("REQUEST_MALFORMED", "the JSON of the message is not UTF-8", Code.InvalidArgument);
}

/**
 * Parses a request message from JSON. Preserves 64-bit integers and keys exactly, and rejects duplicate keys
 * and ambiguous spellings of values.
 *
 * @throws ConnectError, or the Error of protobuf-es, for JSON that does not match the type
 */
export function readJson(desc: DescMessage, text: string, options: Options): MessageShape<DescMessage> {
  const plain = withoutEscapedKeys(text, desc, options.registry);
  return withKeysOf(plain !== text, () => {
    const exact = strictJson(desc, plain, options.registry);
    const message = fromJsonString(desc, exact, options);
    if (plain !== text) restoreKeys(desc, message, options.registry);
    return message;
  });
}

/**
 * Returns JSON that connect can parse instead; call `restoreKeys` on the resulting message.
 *
 * @throws the same errors as `readJson`
 */
export function readableJson(desc: DescMessage, text: string, options: Options): string {
  const plain = withoutEscapedKeys(text, desc, options.registry);
  return withKeysOf(plain !== text, () => {
    const exact = strictJson(desc, plain, options.registry);
    // this error takes precedence over the error of `checkText`, and names the client's own keys
    if (plain !== text || text.includes(REPLACEMENT)) fromJsonString(desc, exact, options);
    return exact;
  });
}

/** Runs a function, and restores the client's keys in the error that it throws. */
function withKeysOf<T>(areRenamed: boolean, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!areRenamed || !(error instanceof Error)) throw error;
    if (error instanceof ConnectError) throw new ConnectError(withEscapedKeys(error.rawMessage), error.code);
    throw new Error(withEscapedKeys(error.message), { cause: error.cause });
  }
}
