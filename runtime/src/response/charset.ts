const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;

/**
 * A body in another charset than UTF-8, as text; undefined where the Content-Type names none, UTF-8, or one that is
 * unknown. JSON has to be UTF-8 (RFC 8259 section 8.1), but old services write ISO 8859-1, and say so. Labels are those
 * of the Encoding standard, section 4.2. Bytes that are no text become U+FFFD.
 */
export function foreignText(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  const [, charset] = (contentType !== undefined && CHARSET.exec(contentType)) || [];
  if (charset === undefined || UTF_8.test(charset)) return undefined;
  return decoderOf(charset)?.decode(bytes);
}

function decoderOf(label: string): { decode(bytes: Uint8Array): string } | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
