import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type ReceivedRow = AnswerOf<"received.list">["data"][number];
export type ReceivedDetail = AnswerOf<"received.get">;

export const INBOUND_ADDRESS_KEYS = [["inbound-addresses"], ["deleted"]] as const;

export const inboundAddressesQuery = queryOptions({
  queryKey: ["inbound-addresses"],
  queryFn: () => read("inboundAddresses.list", {}),
});

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
  queryOptions({
    queryKey: ["received", place, search, sort],
    queryFn: () =>
      read("received.list", {
        query: { ...place, ...(search && { search }), sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** Not refetched: the content never changes. */
export const receivedQuery = (id: string) =>
  queryOptions({
    queryKey: ["received", id],
    queryFn: () => read("received.get", { params: { id } }),
    refetchOnWindowFocus: false,
  });
