import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";

/**
 * Reports whether a request message sets one of the fields for the caller's own credentials.
 *
 * @param fields names as in the .proto file; dots lead to nested fields
 */
export function hasCallerCredentials<D extends DescMessage>(
  desc: D,
  message: MessageShape<D>,
  fields: readonly string[],
): boolean {
  return fields.length > 0 && fields.some((path) => isSet(reflect(desc, message), path.split(".")));
}

function isSet(message: ReflectMessage, [name, ...rest]: readonly string[]): boolean {
  const field = message.fields.find((each) => each.name === name);
  if (field === undefined || !message.isSet(field)) return false;
  if (rest.length === 0) return true;
  const value: unknown = message.get(field);
  return isReflectMessage(value) && isSet(value, rest);
}
