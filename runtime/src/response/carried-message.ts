import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/**
 * Creates a message that carries its undecoded bytes to a serializer. The message looks empty, and is encoded
 * as exactly these bytes. Decoding a message only to encode it again would be most of the cost of a response.
 *
 * protobuf-es stores unknown fields as bytes, and writes them unchanged. The first tag becomes the tag of an
 * unknown field, and all bytes after it are the data of that field.
 */
export function carriedMessage<O extends DescMessage>(desc: O, bytes: Uint8Array): MessageShape<O> {
  const message = create(desc);
  if (bytes.length === 0) return message;
  const reader = new BinaryReader(bytes);
  const [no, wireType] = reader.tag();
  message.$unknown = [{ no, wireType, data: bytes.subarray(reader.pos) }];
  return message;
}
