/** Where a request comes from, and what its client believes to speak with. */
export interface Origin {
  /** An IP address; empty when the connection is gone already. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** Host and port. */
  readonly authority: string;
}
