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
 * Reads a request message from JSON: its 64-bit integers and its keys are those of the text, no key comes
 * twice, and each value has a spelling that is not taken for another one.
 *
 * @throws ConnectError, or the Error of protobuf-es, for JSON that does not fit
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
 * The text that connect is to read instead: `restoreKeys` belongs to what it makes of it.
 *
 * @throws like `readJson`
 */
export function readableJson(desc: DescMessage, text: string, options: Options): string {
  const plain = withoutEscapedKeys(text, desc, options.registry);
  return withKeysOf(plain !== text, () => {
    const exact = strictJson(desc, plain, options.registry);
    // what is wrong is said here, with the keys that the client knows
    if (plain !== text) fromJsonString(desc, exact, options);
    return exact;
  });
}

/** With the keys of the client in the error, if there is one. */
function withKeysOf<T>(areRenamed: boolean, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!areRenamed || !(error instanceof Error)) throw error;
    if (error instanceof ConnectError) throw new ConnectError(withEscapedKeys(error.rawMessage), error.code);
    throw new Error(withEscapedKeys(error.message), { cause: error.cause });
  }
}
