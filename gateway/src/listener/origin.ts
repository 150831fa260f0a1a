/** The origin of a request, and the server address that its client uses. */
export interface Origin {
  /** The client's IP address; empty if the connection has already closed. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** The requested host with an optional port. */
  readonly authority: string;
}
