import { anyText, oneOf, timestamp, useUrlFilters, uuid } from "#app/console/ui/url-filters.ts";

import type { IncomingFilters, LogFilters, OutgoingFilters } from "./queries.ts";
import { KINDS, RESULTS } from "./reply-text.ts";

const SHARED = { search: anyText, company: uuid, from: timestamp, to: timestamp };
const INCOMING = { ...SHARED, kind: oneOf(KINDS), client: anyText };
const OUTGOING = { ...SHARED, result: oneOf(RESULTS), message: uuid };

/** Filters that stay when the user switches between tabs. */
export const useLogFilters = (): LogFilters => useUrlFilters(SHARED);

export const useIncomingFilters = (): IncomingFilters => useUrlFilters(INCOMING);

export const useOutgoingFilters = (): OutgoingFilters => useUrlFilters(OUTGOING);
