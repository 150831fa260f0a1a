/**
 * The possible outcomes of a request to an endpoint: errors that the specifications define, and errors of
 * this server. Clients cannot add outcomes.
 */
const OUTCOMES: ReadonlySet<string> = new Set([
  "ok",
  // errors of RFC 6749 sections 4.1.2.1 and 5.2, and RFC 6750 section 3.1
  "access_denied",
  "insufficient_scope",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_token",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  // errors of RFC 7591 section 3.2.2, RFC 7009 section 2.2.1, and RFC 8707 section 2
  "invalid_client_metadata",
  "invalid_redirect_uri",
  "invalid_target",
  "unapproved_software_statement",
  "unsupported_token_type",
  // errors of OpenID Connect, for clients that use features that are not served
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "login_required",
  "registration_not_supported",
  "request_not_supported",
  "request_uri_not_supported",
  "unsupported_response_mode",
  // ours
  "forged_request",
  "not_found",
  "too_many_requests",
]);

/**
 * Returns an outcome for logs and metrics: `other` for an unknown outcome, which a client may have invented.
 */
export function knownOutcome(outcome: string): string {
  return OUTCOMES.has(outcome) ? outcome : "other";
}
