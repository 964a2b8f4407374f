import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** A request as an endpoint receives it. */
export type ApiRequest = {
  method: string;
  /** As requested, without the query string. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The client's IP address, which the client cannot forge. */
  address: string;
  /** Sent as `x-request-id` and logged. */
  requestId: string;
  /** Null if the endpoint takes no body. */
  body: Buffer | null;
};

/** A request whose body has not been read yet. */
export type ArrivingRequest = Omit<ApiRequest, "body"> & {
  /** The query string, still percent-encoded. */
  query: string;
  stream: Readable;
};
