import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type ReceivedRow = AnswerOf<"received.list">["data"][number];
export type ReceivedDetail = AnswerOf<"received.get">;

export const INBOUND_ADDRESS_KEYS = [["inboundAddresses"], ["deletedItems"]] as const;

export const inboundAddressesQuery = queryOf("inboundAddresses.list", {});

export const sendNewAddress = (address: string) =>
  change("inboundAddresses.create", {
    body: { address },
  });

export const deleteAddress = (address: string) =>
  change("inboundAddresses.delete", {
    params: { address },
  });

export const receivedListQuery = (
  place: PageCursor,
  search: string,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  listOf(
    "received.list",
    { ...place, search: search || undefined, sort, rows: ROWS_PER_PAGE },
    { refetchInterval: REFRESH_MS },
  );

/** Not refetched: the content never changes. */
export const receivedQuery = (id: string) =>
  queryOf("received.get", { params: { id } }, { refetchOnWindowFocus: false });
