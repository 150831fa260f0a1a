/** Generates valid encodings of messages, including unusual ones, and some invalid encodings. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Dice } from "../scanner/json-text.ts";

const TEXTS = [
  "", "x", "a longer text of more than sixteen bytes", 'quoted "text"\n', "\u0000\u001f\b\f\t\r\\/", "Café au lait", "中文字符", "😀",
  "\u2028\u007f\ufffd", `${"0123456789".repeat(9)}é`, "a_b", "1", "0", "__proto__", '"'.repeat(40),
]; // biome-ignore format: a table
const NOT_UTF8 = ["ff", "c3", "e28282", "c0af", "eda080", "f4908080", "61c361", "f0808080", "e0808061", "80"];
const DOUBLES = [
  0, -0, 1, -1, 1.5, -0.25, 0.1, 0.30000000000000004, 1e21, 1e20, 123456789.125, 2 ** 53, 1e-7, 0.000001, 1.1e-6, 5e-324,
  1.7976931348623157e308, 123456789012345.6, 99999999999999.98, 0.1 + 0.7, 4.35, 2.675, Number.NaN, Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]; // biome-ignore format: a table
const INTEGERS = [
  0n, 1n, -1n, 7n, 10n, 99n, 100n, 127n, 128n, 2147483647n, -2147483648n, 4294967295n, 9007199254740993n, 735000000000051460n,
  9223372036854775807n, -9223372036854775808n, 18446744073709551615n,
]; // biome-ignore format: a table
const SECONDS = [
  0n, 1n, -1n, 1761994800n, 951782399n, 951782400n, 951868800n, -2208988800n, -62135596800n, 253402300799n, 4107542400n, -62135596801n,
]; // biome-ignore format: a table
const NANOS = [0n, 1n, 999_999_999n, 500_000_000n, 120_000n, 1_000_000n];
const MAX_DEPTH = 4;

/** Returns the bytes of a message. */
export function wireBytes(desc: DescMessage, dice: Dice, depth = 0): Uint8Array {
  const out = new BinaryWriter();
  const fields = chosen(desc, dice, depth);
  if (dice.once(4)) fields.sort(() => dice.of(3) - 1);
  if (dice.once(30)) fields.push(...fields.slice(0, 1));
  for (const field of fields) {
    if (dice.once(12)) unknown(out, dice);
    write(field, out, dice, depth);
  }
  if (dice.once(12)) unknown(out, dice);
  return out.finish();
}

function chosen(desc: DescMessage, dice: Dice, depth: number): DescField[] {
  const isValue = desc.typeName === "google.protobuf.Value";
  const share = isValue ? 1 : dice.pick([2, 4, 8]);
  const found: DescField[] = [];
  for (const member of desc.members) {
    if (!dice.once(share) || (depth > MAX_DEPTH && !isValue)) continue;
    if (member.kind === "field") {
      found.push(member);
    } else {
      const fields = depth > MAX_DEPTH ? member.fields.filter((field) => field.scalar) : member.fields;
      found.push(dice.pick(fields));
      if (dice.once(40)) found.push(dice.pick(fields));
    }
  }
  return found.filter((field) => field !== undefined).sort((a, b) => a.number - b.number);
}

/** Writes a field that no message declares. */
function unknown(out: BinaryWriter, dice: Dice): void {
  const number = dice.pick([536_870_911, 16_000]);
  switch (dice.of(dice.once(20) ? 5 : 4)) {
    case 0:
      out.tag(number, WireType.Varint).uint64(dice.pick(INTEGERS) & 0xffff_ffffn);
      break;
    case 1:
      out.tag(number, WireType.Bit64).double(1.5);
      break;
    case 2:
      out.tag(number, WireType.LengthDelimited).string("unknown");
      break;
    case 3:
      out.tag(number, WireType.Bit32).fixed32(7);
      break;
    default:
      out.tag(number, WireType.StartGroup).tag(number, WireType.EndGroup);
  }
}

function write(field: DescField, out: BinaryWriter, dice: Dice, depth: number): void {
  switch (field.fieldKind) {
    case "list":
      list(field, out, dice, depth);
      break;
    case "map":
      for (let i = dice.of(4); i >= 0; i--) {
        out.tag(field.number, WireType.LengthDelimited).fork();
        if (!dice.once(8)) scalar(1, field.mapKey, out, dice, true);
        if (!dice.once(8)) value(2, field, out, dice, depth);
        if (dice.once(40)) scalar(1, field.mapKey, out, dice, true);
        out.join();
      }
      break;
    default:
      value(field.number, field, out, dice, depth);
  }
}

function list(field: DescField, out: BinaryWriter, dice: Dice, depth: number): void {
  const count = dice.of(4);
  const { scalar: type } = field;
  const isPackable =
    field.enum !== undefined || (type !== undefined && wireTypeOf(type) !== WireType.LengthDelimited);
  if (!isPackable || dice.once(3)) {
    for (let i = 0; i <= count; i++) value(field.number, field, out, dice, depth);
    return;
  }
  const bare = new BinaryWriter();
  for (let i = 0; i < count; i++) bareValue(field, bare, dice);
  out.tag(field.number, WireType.LengthDelimited).bytes(bare.finish());
}

function bareValue(field: DescField, out: BinaryWriter, dice: Dice): void {
  if (field.enum !== undefined) {
    out.int32(enumNumber(field, dice));
  } else if (field.scalar !== undefined) {
    scalarValue(field.scalar, out, dice, false);
  }
}

function value(number: number, field: DescField, out: BinaryWriter, dice: Dice, depth: number): void {
  if (field.message !== undefined) {
    if ("delimitedEncoding" in field && field.delimitedEncoding === true) {
      out.tag(number, WireType.StartGroup).raw(wireBytes(field.message, dice, depth + 1));
      out.tag(number, WireType.EndGroup);
    } else {
      out.tag(number, WireType.LengthDelimited).bytes(wireBytes(field.message, dice, depth + 1));
    }
  } else if (field.enum !== undefined) {
    out.tag(number, WireType.Varint).int32(enumNumber(field, dice));
  } else if (field.scalar !== undefined) {
    scalar(number, field.scalar, out, dice, false, field);
  }
}

function enumNumber({ enum: desc }: DescField, dice: Dice): number {
  return dice.once(20) ? dice.pick([99, -5, 2147483647]) : (desc && dice.pick(desc.values).number) || 0;
}

function scalar(
  number: number,
  type: ScalarType,
  out: BinaryWriter,
  dice: Dice,
  isKey: boolean,
  field?: DescField,
): void {
  out.tag(number, wireTypeOf(type));
  const owner = field?.parent.typeName;
  if (owner === "google.protobuf.Timestamp" || owner === "google.protobuf.Duration") {
    out.int64(dice.pick(field?.name === "seconds" ? SECONDS : NANOS));
  } else if (owner === "google.protobuf.FieldMask") {
    out.string(dice.pick(["a", "a_b.c_d", "foo_bar", "a__b", "aB"]));
  } else {
    scalarValue(type, out, dice, isKey);
  }
}

function scalarValue(type: ScalarType, out: BinaryWriter, dice: Dice, isKey: boolean): void {
  const integer = dice.pick(INTEGERS);
  switch (type) {
    case ScalarType.STRING:
      if (dice.once(isKey ? 300 : 150)) {
        out.bytes(Buffer.from(dice.pick(NOT_UTF8), "hex"));
      } else {
        out.string(isKey ? `${dice.pick(TEXTS)}${dice.of(8)}` : dice.pick(TEXTS));
      }
      break;
    case ScalarType.BYTES:
      out.bytes(Uint8Array.from({ length: dice.of(40) }, () => dice.of(256)));
      break;
    case ScalarType.DOUBLE:
      out.double(dice.once(2) ? dice.pick(DOUBLES) : dice.of(2 ** 31) / 10 ** dice.of(9));
      break;
    case ScalarType.FLOAT:
      out.float(dice.pick(DOUBLES.filter((each) => !(Math.abs(each) > 3e38 && Number.isFinite(each)))));
      break;
    case ScalarType.BOOL:
      out.uint32(dice.pick([0, 1, 1, 2]));
      break;
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      out.fixed32(Number(BigInt.asUintN(32, integer)));
      break;
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      out.fixed64(BigInt.asUintN(64, integer));
      break;
    default:
      // For 32-bit types, decoders drop the upper half.
      out.uint64(BigInt.asUintN(64, integer));
  }
}

function wireTypeOf(type: ScalarType): WireType {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}
