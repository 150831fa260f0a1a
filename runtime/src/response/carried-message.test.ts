import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { carriedMessage } from "./carried-message.ts";

const encode = (message: FileDescriptorProto) => toBinary(FileDescriptorProtoSchema, message);

test("a message that carries its bytes is encoded as exactly these bytes", () => {
  const names = fc.record({ name: fc.string(), package: fc.string(), dependency: fc.array(fc.string()) });
  fc.assert(
    fc.property(names, ({ name, package: pkg, dependency }) => {
      const empty = fromBinary(FileDescriptorProtoSchema, new Uint8Array());
      const bytes = encode({ ...empty, name, package: pkg, dependency });
      expect(encode(carriedMessage(FileDescriptorProtoSchema, bytes))).toEqual(bytes);
    }),
    { interruptAfterTimeLimit: 5_000 },
  );
});

test("a message that carries its bytes may be empty", () => {
  expect(encode(carriedMessage(FileDescriptorProtoSchema, new Uint8Array()))).toEqual(new Uint8Array());
});

test("a message that carries its bytes keeps fields with large numbers, whose tags have several bytes", () => {
  const bytes = Uint8Array.of(0xfa, 0xff, 0xff, 0x7f, 0x02, 0x61, 0x62);
  expect(encode(carriedMessage(FileDescriptorProtoSchema, bytes))).toEqual(bytes);
});
