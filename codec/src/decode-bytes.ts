import type { FoundDifferences } from "./decode/difference.ts";
import { writePayload } from "./decode/payload.ts";
import { ProtoWriter } from "./decode/proto-writer.ts";
import { parseJson, parseJsonVerbatim } from "./json/parse-json.ts";
import { scanner } from "./scan/scanner.ts";
import type { MessageTable } from "./table/message-table.ts";
import { atOnce } from "./time/work.ts";

/** A message in protobuf, with the differences between its JSON and the declaration. */
export interface DecodedMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly differences: FoundDifferences;
}

/**
 * Decodes a message from JSON in UTF-8 in one step. Uses the scanner if WebAssembly is available and the JSON
 * is ordinary; otherwise JSON.parse and the JavaScript decoder, with the same result.
 *
 * @throws SyntaxError for invalid JSON, WrongShape for JSON that cannot be the message, JsonTooDeep
 */
export function decode(table: MessageTable, json: Uint8Array): DecodedMessage {
  return scanned(table, json) ?? parsed(table, Buffer.from(json).toString());
}

function scanned(table: MessageTable, json: Uint8Array): DecodedMessage | undefined {
  const scan = scanner();
  const plan = scan?.plan(table, "payload");
  if (scan === undefined || plan === undefined) return undefined;
  if (scan.isLarge(json)) return atOnce(scan.scanInPieces(json, plan, false, Number.POSITIVE_INFINITY));
  const bytes = scan.scan(json, plan, false);
  return bytes && { bytes, differences: scan.differences };
}

function parsed(table: MessageTable, text: string): DecodedMessage {
  const out = new ProtoWriter();
  const json = parseJson(text);
  out.reset();
  writePayload(out, json, table);
  if (out.inexact || out.keptNumbers) {
    const verbatim = parseJsonVerbatim(text);
    out.reset(true);
    writePayload(out, verbatim ?? json, table);
  }
  return { bytes: out.finish(), differences: out.found() };
}
