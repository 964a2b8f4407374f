import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** A request to the API, as an endpoint sees it. */
export type ApiRequest = {
  method: string;
  /** As it was called, without the query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Of the caller, as our server determined it: no client can set it. */
  address: string;
  /** Stands in the answer and in the log. */
  requestId: string;
  /** The bytes of the body; null where the endpoint takes none. */
  body: Buffer | null;
};

/** A request whose body has not been read. */
export type ArrivingRequest = Omit<ApiRequest, "body"> & {
  /** What stands behind the question mark, percent codes and all. */
  query: string;
  stream: Readable;
};
