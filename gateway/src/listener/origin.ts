/** The origin of a request, and the server address that its client uses. */
export interface Origin {
  /** An IP address; empty if the connection has already closed. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** The host with an optional port. */
  readonly authority: string;
}
