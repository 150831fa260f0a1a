import type { HttpRequest } from "../../listener/http.ts";

/** The largest form: a proof and a decision. */
const MAX_FORM_BYTES = 4096;

/** Why a form is not read. */
export class FormRefused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/**
 * Reads the form of a request.
 *
 * @throws FormRefused where it is none, is too large, or has a field twice
 */
export async function readForm(request: HttpRequest): Promise<ReadonlyMap<string, string>> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded(?:\s*;|$)/i.test(type)) throw new FormRefused(415, "not a form");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_FORM_BYTES) throw new FormRefused(413, "a form that is too large");
    chunks.push(bytes);
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString("utf8"))) {
    if (fields.has(name)) throw new FormRefused(400, "a form with a field twice");
    fields.set(name, value);
  }
  return fields;
}
