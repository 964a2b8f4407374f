import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { createInboundAddress } from "#server/console/inbound-addresses/create-inbound-address.ts";
import type { deleteInboundAddress } from "#server/console/inbound-addresses/delete-inbound-address.ts";
import type { listInboundAddresses } from "#server/console/inbound-addresses/list-inbound-addresses.ts";
import type { getReceived } from "#server/console/received/get-received.ts";
import type { listReceived } from "#server/console/received/list-received.ts";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type ReceivedRow = Answer<typeof listReceived>["data"][number];
export type ReceivedDetail = Answer<typeof getReceived>;

export const INBOUND_ADDRESS_KEYS = [["inbound-addresses"], ["deleted"]] as const;

export const inboundAddressesQuery = queryOptions({
  queryKey: ["inbound-addresses"],
  queryFn: () => call<typeof listInboundAddresses>("GET", "/console/api/inbound-addresses", {}),
});

export const sendNewAddress = (address: string) =>
  call<typeof createInboundAddress>("POST", "/console/api/inbound-addresses", {
    body: { address },
  });

export const deleteAddress = (address: string) =>
  call<typeof deleteInboundAddress>("DELETE", "/console/api/inbound-addresses/{address}", {
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
      call<typeof listReceived>("GET", "/console/api/received", {
        query: { ...place, ...(search && { search }), sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** Not refetched: the content never changes. */
export const receivedQuery = (id: string) =>
  queryOptions({
    queryKey: ["received", id],
    queryFn: () =>
      call<typeof getReceived>("GET", "/console/api/received/{id}", { params: { id } }),
    refetchOnWindowFocus: false,
  });
