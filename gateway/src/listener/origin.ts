/** Where a request comes from, and the server that its client believes it speaks with. */
export interface Origin {
  /** An IP address; empty when the connection is gone already. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** Host and port. */
  readonly authority: string;
}
