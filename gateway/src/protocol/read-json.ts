import {
  type DescMessage,
  fromJsonString,
  type JsonReadOptions,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { restoreKeys, withEscapedKeys, withoutEscapedKeys } from "./escaped-keys.ts";
import { strictJson } from "./strict-json.ts";

type Options = Partial<JsonReadOptions>;

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
 * Returns the JSON that connect can parse instead; call `restoreKeys` on the resulting message.
 *
 * @throws the same errors as `readJson`
 */
export function readableJson(desc: DescMessage, text: string, options: Options): string {
  const plain = withoutEscapedKeys(text, desc, options.registry);
  return withKeysOf(plain !== text, () => {
    const exact = strictJson(desc, plain, options.registry);
    // reports errors with the client's own keys, which connect no longer sees
    if (plain !== text) fromJsonString(desc, exact, options);
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
