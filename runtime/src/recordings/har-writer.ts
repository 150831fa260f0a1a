import { isUtf8 } from "node:buffer";
import { stringifyJson } from "connect-rest-codec/internal";
import type { RecordableCall } from "../call/options.ts";
import { redactText } from "../errors/redact.ts";
import type { ExplainedHeader, ExplainedRequest } from "../explain/explained.ts";
import { decompress } from "../http/decompress.ts";
import { fullName } from "../text/full-name.ts";
import type { Secret } from "../text/secret.ts";
import type { Placeholders } from "./placeholder.ts";
import { parsedBody, privateBody, withoutSecrets } from "./private-body.ts";
import type { CapturedResponse, RecordedRequest } from "./recorded-request.ts";
import type { ReadRecording, RecordingReader } from "./recording-reader.ts";

/** The maximum size of a decompressed body, in bytes. */
const MAX_DECOMPRESSED_BYTES = 4 * 1024 * 1024;

/** An exchange in a recording. */
interface Recorded {
  readonly request: RecordedRequest;
  readonly response: CapturedResponse;
}

/** A body in a recording, or the reason why the recording omits it. */
interface Content {
  readonly text?: string;
  readonly comment?: string;
}

/**
 * Returns an exchange as an entry of a HAR file (HAR 1.2), and whether its response differs from its
 * description. The entry contains neither credentials nor values of redacted fields.
 *
 * @param placeholders replaces values that the description does not declare. Undefined: the values are kept
 */
export async function harEntry(
  call: RecordableCall,
  { request, response }: Recorded,
  reader: RecordingReader,
  placeholders: Placeholders | undefined,
): Promise<{ readonly entry: string; readonly isDifferent: boolean }> {
  const { adapter, clock } = call;
  const secrets = [...call.secrets()];
  const body = await decompressed(response);
  const verb = request.explained([]).verb;
  const { status, headers } = response;
  const read =
    body && (await call.knowing(() => reader.read(adapter, { status, headers, body }, verb, clock.now())));
  secrets.push(...(read?.redacted ?? []));
  const content = contentOf(call, body, read, placeholders, secrets);
  const sent = request.explained(secrets);
  const time = sent.response?.durationMs ?? 0;
  const wait = sent.response?.headMs ?? time;
  const entry = {
    _method: fullName(adapter.method).replace(/\.(?=[^.]*$)/, "/"),
    startedDateTime: new Date(request.startedDate).toISOString(),
    time,
    ...(placeholders !== undefined && { _placeholders: true }),
    request: requestOf(sent),
    response: {
      status,
      ...{ statusText: "", httpVersion: "", cookies: [], redirectURL: "", headersSize: -1 },
      headers: headersOf(sent.response?.headers ?? []),
      bodySize: response.bytes,
      content: {
        size: body?.length ?? response.bytes,
        mimeType: typeOf(sent.response?.headers),
        ...content,
      },
    },
    cache: {},
    timings: { send: 0, wait, receive: Math.max(0, time - wait) },
  };
  const isDifferent = read === undefined || read.differences.length > 0 || read.error !== undefined;
  return { entry: JSON.stringify(entry), isDifferent };
}

function requestOf({ verb, url, headers, body }: ExplainedRequest): object {
  const type = typeOf(headers);
  const isWhole = body?.text !== undefined && !body.isCut;
  return {
    method: verb,
    url,
    ...{ httpVersion: "", cookies: [], headersSize: -1 },
    headers: headersOf(headers),
    queryString: Array.from(URL.parse(url)?.searchParams ?? [], ([name, value]) => ({ name, value })),
    bodySize: body?.bytes ?? (body === undefined ? 0 : -1),
    ...(isWhole && { postData: { mimeType: type, text: body.text } }),
    ...(body !== undefined && !isWhole && { comment: "The body is streamed, binary or too large." }),
  };
}

function typeOf(headers: readonly ExplainedHeader[] = []): string {
  return headers.find(({ name }) => name === "content-type")?.value ?? "";
}

/** Returns the headers whose values may be shown. */
function headersOf(headers: readonly ExplainedHeader[]): object[] {
  return headers.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
}

function contentOf(
  { adapter }: RecordableCall,
  body: Uint8Array | undefined,
  read: ReadRecording | undefined,
  placeholders: Placeholders | undefined,
  secrets: readonly Secret[],
): Content {
  if (body === undefined || read === undefined) return { comment: "The body is too large, or is corrupt." };
  if (body.length === 0) return { text: "" };
  if (!isUtf8(body)) return { comment: "The body is not UTF-8." };
  const text = Buffer.from(body).toString();
  const json = adapter.kind === "records" ? undefined : parsedBody(text);
  if (json === undefined) {
    return placeholders === undefined
      ? { text: redactText(text, secrets) }
      : { comment: "The body is not one JSON value. Such bodies are recorded only with the option values." };
  }
  // before placeholders, which may contain a short secret by chance
  const values = withoutSecrets(json, secrets, "values");
  const shown = placeholders === undefined ? values : privateBody(adapter, values, read, placeholders);
  return shown === undefined
    ? { comment: "The body has too many differences." }
    : { text: stringifyJson(withoutSecrets(shown, secrets, "keys")) };
}

async function decompressed({ headers, body }: CapturedResponse): Promise<Uint8Array | undefined> {
  const encoding = [headers["content-encoding"] ?? []].flat().join(", ");
  if (body === undefined || encoding === "" || body.length === 0) return body;
  try {
    return await decompress(body, encoding, MAX_DECOMPRESSED_BYTES, AbortSignal.timeout(10_000));
  } catch {
    return undefined;
  }
}
