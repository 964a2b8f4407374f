import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/restore.ts";
import {
  type AnswerOf,
  ConsoleError,
  change,
  type InputOf,
  read,
} from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import { useAction, useOptimisticUpdate } from "#app/console/ui/actions.tsx";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

/** The worker rechecks domains in the background. */
const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 20;

export type DomainRow = AnswerOf<"domains.list">["data"][number];
export type DomainDetail = AnswerOf<"domains.get">;
export type DomainRecord = DomainDetail["records"][number];
type DomainDoctor = AnswerOf<"dns.getDoctor">;
export type RecordProblem = DomainDoctor["problems"][number];
export type DnsProvider = DomainDoctor["providers"][number];
export type DomainUse = AnswerOf<"domains.getUse">;
export type DmarcReports = AnswerOf<"dns.getDmarcReports">;
export type DmarcSource = DmarcReports["sources"][number];
export type TlsReports = AnswerOf<"dns.getTlsReports">;

export const REPORT_DAYS = ["7", "30", "90"] as const;
export type ReportDays = (typeof REPORT_DAYS)[number];

export const DOMAIN_SORTS = ["-created", "name"] as const;

export const domainsQuery = (place: PageCursor, sort: SortOf<typeof DOMAIN_SORTS> = "-created") =>
  listOf("domains.list", { ...place, sort, rows: ROWS_PER_PAGE });

/** Query keys of the pages of a domain. */
const DOMAIN_KEYS = [["domains"], ["dns"]] as const;

export const domainQuery = (id: string) =>
  queryOf("domains.get", { params: { id } }, { refetchInterval: REFRESH_MS });

/** Queries DNS, which can take seconds. Cached until the domain is checked again. */
export const doctorQuery = ({ id, checkedAt }: DomainDetail) =>
  queryOptions({
    queryKey: ["dns", "getDoctor", { params: { id } }, checkedAt],
    queryFn: () => read("dns.getDoctor", { params: { id } }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

export const domainUseQuery = (id: string) => queryOf("domains.getUse", { params: { id } });

export const dmarcQuery = (id: string, days: ReportDays) =>
  queryOf(
    "dns.getDmarcReports",
    {
      params: { id },
      query: { days },
    },
    { placeholderData: keepPreviousData },
  );

export const tlsQuery = (id: string, days: ReportDays) =>
  queryOf(
    "dns.getTlsReports",
    {
      params: { id },
      query: { days },
    },
    { placeholderData: keepPreviousData },
  );

export function useCreateDomain() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => change("domains.create", { body: { name } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["domains", "list"] }),
  });
}

/** Checks a domain's records now, whatever is found. */
export async function checkDomain(id: string): Promise<void> {
  try {
    await verify(id);
  } catch (error) {
    // The ownership record is missing. The result of the check is stored.
    if (!(error instanceof ConsoleError && error.status === 422)) throw error;
  }
}

const verify = (id: string) => change("domains.verify", { params: { id } });

/** Checks the records now. The result is stored even if the request fails with a validation error. */
export function useVerifyDomain(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => verify(id),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries(domainQuery(id)),
        queryClient.invalidateQueries({ queryKey: ["domains", "list"] }),
        queryClient.invalidateQueries({ queryKey: ["sessions", "getMe"] }),
      ]),
  });
}

/** Checks the records of a domain from the list. */
export const useCheckDomain = () =>
  useAction({
    call: ({ id }: DomainRow) => checkDomain(id),
    invalidates: [...DOMAIN_KEYS, ["sessions", "getMe"]],
    success: (_, { name }) => `Records of ${name} checked`,
  });

export const emailRecordsTo = (id: string, to: string) =>
  change("dns.emailRecords", {
    params: { id },
    body: { to },
  });

/** Credentials for the API of a DNS provider. Keep them in the state of a component only. */
export type SetupAccess = InputOf<"dns.previewDnsSetup">["body"];
export type SetupPlan = AnswerOf<"dns.previewDnsSetup">;
export type SetupResult = AnswerOf<"dns.publishDnsSetup">["results"][number];

export const previewSetup = (id: string, access: SetupAccess) =>
  change("dns.previewDnsSetup", {
    params: { id },
    body: access,
  });

export const publishSetup = (
  id: string,
  body: SetupAccess & { digest: string; confirmed: string[] },
) =>
  change("dns.publishDnsSetup", {
    params: { id },
    body,
  });

/** Creates new keys. Their records are then listed among those to publish. */
export const useRotateKeys = (id: string) =>
  useAction({
    call: () => change("domains.rotateKeys", { params: { id } }),
    invalidates: DOMAIN_KEYS,
  });

export type DomainSwitch = "openTracking" | "clickTracking" | "oneClickUnsubscribe";
type DomainChanges = { [Name in DomainSwitch]?: boolean };

/** Updates optimistically. */
export function useUpdateSwitches(id: string) {
  return useOptimisticUpdate(
    domainQuery(id).queryKey,
    (body: DomainChanges) => change("domains.update", { params: { id }, body }),
    (now: DomainDetail, changes) => ({ ...now, ...changes }),
  );
}

/** @param id of the domain; null as the label removes it */
export function useSetTrackingSubdomain(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (label: string | null) =>
      change("domains.update", {
        params: { id },
        body: { trackingSubdomain: label },
      }),
    onSuccess: () =>
      Promise.all(DOMAIN_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

async function undoDeletion(_: unknown, { deletedId: id }: AnswerOf<"domains.delete">) {
  if (id !== null) await restoreItem(id);
}

/** Offers Undo, which restores the domain, unless it isn't kept. */
export function useDeleteDomain({ id, name, isOwnershipVerified: isKept }: DomainDetail) {
  const queryClient = useQueryClient();
  return useAction({
    call: () => change("domains.delete", { params: { id } }),
    invalidates: DELETED_KEYS,
    success: `${name} deleted`,
    ...(isKept && { undo: undoDeletion }),
    onDone() {
      const params = { id };
      queryClient.removeQueries({ queryKey: ["domains", "get", { params }] });
      queryClient.removeQueries({ queryKey: ["domains", "getUse", { params }] });
      queryClient.removeQueries({ queryKey: ["dns"] });
    },
  });
}
