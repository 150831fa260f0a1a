import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/**
 * A message that carries its bytes unread, for a serialiser that writes bytes again: it looks empty, and
 * writes exactly these bytes. Decoding a message only to encode it is most of what a response costs.
 *
 * protobuf-es keeps fields that it does not know as bytes, and writes them as they came. The first tag stands
 * for itself, and all that follows it counts as its data.
 */
export function carriedMessage<O extends DescMessage>(desc: O, bytes: Uint8Array): MessageShape<O> {
  const message = create(desc);
  if (bytes.length === 0) return message;
  const reader = new BinaryReader(bytes);
  const [no, wireType] = reader.tag();
  message.$unknown = [{ no, wireType, data: bytes.subarray(reader.pos) }];
  return message;
}
