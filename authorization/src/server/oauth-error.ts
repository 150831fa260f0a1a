/** An OAuth 2 error that is sent as a response (RFC 6749 section 5.2, RFC 7591 section 3.2.2). */
export class OAuthError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  /** @param description a message for people, without quotes or backslashes */
  constructor(
    status: number,
    error: string,
    description: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
    this.name = "OAuthError";
    this.status = status;
    this.error = error;
    this.headers = headers;
  }

  get body(): { readonly error: string; readonly error_description: string } {
    return { error: this.error, error_description: this.message };
  }
}

/**
 * Returns the parameters that a redirect passes to a client. They are in the query or, for a response type
 * that scripts read, in the fragment (RFC 6749 sections 4.1.2 and 4.2.2).
 */
export function answerIn({ searchParams, hash }: URL): URLSearchParams {
  return hash === "" ? searchParams : new URLSearchParams(hash.slice(1));
}
