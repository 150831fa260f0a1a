/** Whose call it is. */
export interface Caller {
  readonly requestId: string;
  /** The client's IP address. */
  readonly client: string;
}
