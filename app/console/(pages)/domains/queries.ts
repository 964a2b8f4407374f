import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import { type Answer, call, ConsoleError } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import { useOptimisticUpdate } from "#app/console/optimistic-update.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { createDomain } from "#server/console/domains/create-domain.ts";
import type { deleteDomain } from "#server/console/domains/delete-domain.ts";
import type { emailRecords } from "#server/console/domains/email-records.ts";
import type { getConnectLink } from "#server/console/domains/get-connect-link.ts";
import type { getDmarcReports } from "#server/console/domains/get-dmarc-reports.ts";
import type { getDomainDoctor } from "#server/console/domains/get-domain-doctor.ts";
import type { getDomainUse } from "#server/console/domains/get-domain-use.ts";
import type { getDomain } from "#server/console/domains/get-domain.ts";
import type { getTlsReports } from "#server/console/domains/get-tls-reports.ts";
import type { listDomains } from "#server/console/domains/list-domains.ts";
import type { previewDnsSetup } from "#server/console/domains/preview-dns-setup.ts";
import type { publishDnsSetup } from "#server/console/domains/publish-dns-setup.ts";
import type { rotateKeys } from "#server/console/domains/rotate-keys.ts";
import type { updateDomain } from "#server/console/domains/update-domain.ts";
import type { verifyDomain } from "#server/console/domains/verify-domain.ts";

/** The worker rechecks domains in the background. */
const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 20;

export type DomainRow = Answer<typeof listDomains>["data"][number];
export type DomainDetail = Answer<typeof getDomain>;
export type DomainRecord = DomainDetail["records"][number];
export type ConnectLink = NonNullable<Answer<typeof getConnectLink>["link"]>;
type DomainDoctor = Answer<typeof getDomainDoctor>;
export type RecordProblem = DomainDoctor["problems"][number];
export type DnsProvider = DomainDoctor["providers"][number];
export type DomainUse = Answer<typeof getDomainUse>;
export type DmarcReports = Answer<typeof getDmarcReports>;
export type DmarcSource = DmarcReports["sources"][number];
export type TlsReports = Answer<typeof getTlsReports>;

export const REPORT_DAYS = ["7", "30", "90"] as const;
export type ReportDays = (typeof REPORT_DAYS)[number];

export const DOMAIN_SORTS = ["-created", "name"] as const;

export const domainsQuery = (place: PageCursor, sort: SortOf<typeof DOMAIN_SORTS> = "-created") =>
  queryOptions({
    queryKey: ["domains", place, sort],
    queryFn: () =>
      call<typeof listDomains>("GET", "/console/api/domains", {
        query: { ...place, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

const domainKey = (id: string) => ["domain", id];

export const domainQuery = (id: string) =>
  queryOptions({
    queryKey: domainKey(id),
    queryFn: () => call<typeof getDomain>("GET", "/console/api/domains/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

/** Queries DNS, which can take seconds. Cached until the domain is checked again. */
export const doctorQuery = ({ id, checked_at: checkedAt }: DomainDetail) =>
  queryOptions({
    queryKey: [...domainKey(id), "doctor", checkedAt],
    queryFn: () =>
      call<typeof getDomainDoctor>("GET", "/console/api/domains/{id}/doctor", { params: { id } }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

/** The Domain Connect link, or null. The server asks the DNS provider, which can take seconds. */
export const connectLinkQuery = ({ id, checked_at: checkedAt }: DomainDetail) =>
  queryOptions({
    queryKey: [...domainKey(id), "connect-link", checkedAt],
    queryFn: () =>
      call<typeof getConnectLink>("GET", "/console/api/domains/{id}/connect-link", {
        params: { id },
      }),
    select: ({ link }) => link,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

export const domainUseQuery = (id: string) =>
  queryOptions({
    queryKey: [...domainKey(id), "use"],
    queryFn: () =>
      call<typeof getDomainUse>("GET", "/console/api/domains/{id}/use", { params: { id } }),
  });

export const dmarcQuery = (id: string, days: ReportDays) =>
  queryOptions({
    queryKey: [...domainKey(id), "dmarc", days],
    queryFn: () =>
      call<typeof getDmarcReports>("GET", "/console/api/domains/{id}/dmarc-reports", {
        params: { id },
        query: { days },
      }),
    placeholderData: keepPreviousData,
  });

export const tlsQuery = (id: string, days: ReportDays) =>
  queryOptions({
    queryKey: [...domainKey(id), "tls", days],
    queryFn: () =>
      call<typeof getTlsReports>("GET", "/console/api/domains/{id}/tls-reports", {
        params: { id },
        query: { days },
      }),
    placeholderData: keepPreviousData,
  });

export function useCreateDomain() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      call<typeof createDomain>("POST", "/console/api/domains", { body: { name } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["domains"] }),
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

const verify = (id: string) =>
  call<typeof verifyDomain>("POST", "/console/api/domains/{id}/verify", { params: { id } });

/** Checks the records now. The result is stored even if the request fails with a validation error. */
export function useVerifyDomain(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => verify(id),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: domainKey(id), exact: true }),
        queryClient.invalidateQueries({ queryKey: ["domains"] }),
        queryClient.invalidateQueries({ queryKey: ["me"] }),
      ]),
  });
}

/** Checks the records of a domain from the list. */
export const useCheckDomain = () =>
  useAction({
    call: ({ id }: DomainRow) => checkDomain(id),
    invalidates: [["domains"], ["domain"], ["me"]],
    success: (_, { name }) => `Records of ${name} checked`,
  });

export const emailRecordsTo = (id: string, to: string) =>
  call<typeof emailRecords>("POST", "/console/api/domains/{id}/email-records", {
    params: { id },
    body: { to },
  });

/** Credentials for the API of a DNS provider. Keep them in the state of a component only. */
export type SetupAccess = z.input<NonNullable<(typeof previewDnsSetup)["body"]>>;
export type SetupPlan = Answer<typeof previewDnsSetup>;
export type SetupResult = Answer<typeof publishDnsSetup>["results"][number];

export const previewSetup = (id: string, access: SetupAccess) =>
  call<typeof previewDnsSetup>("POST", "/console/api/domains/{id}/dns-setup/preview", {
    params: { id },
    body: access,
  });

export const publishSetup = (
  id: string,
  body: SetupAccess & { digest: string; confirmed: string[] },
) =>
  call<typeof publishDnsSetup>("POST", "/console/api/domains/{id}/dns-setup/publish", {
    params: { id },
    body,
  });

/** Creates new keys. Their records are then listed among those to publish. */
export const useRotateKeys = (id: string) =>
  useAction({
    call: () =>
      call<typeof rotateKeys>("POST", "/console/api/domains/{id}/rotate-keys", { params: { id } }),
    invalidates: [domainKey(id)],
  });

export type DomainSwitch = "open_tracking" | "click_tracking" | "one_click_unsubscribe";
type DomainChanges = { [Name in DomainSwitch]?: boolean };

/** Updates optimistically. */
export function useUpdateSwitches(id: string) {
  return useOptimisticUpdate(
    domainQuery(id).queryKey,
    (body: DomainChanges) =>
      call<typeof updateDomain>("PATCH", "/console/api/domains/{id}", { params: { id }, body }),
    (now: DomainDetail, changes) => ({ ...now, ...changes }),
  );
}

/** @param id of the domain; null as the label removes it */
export function useSetTrackingSubdomain(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (label: string | null) =>
      call<typeof updateDomain>("PATCH", "/console/api/domains/{id}", {
        params: { id },
        body: { tracking_subdomain: label },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: domainKey(id) }),
  });
}

async function undoDeletion(_: unknown, { deleted_id: id }: Answer<typeof deleteDomain>) {
  if (id !== null) await restoreItem(id);
}

/** Offers Undo, which restores the domain, unless it isn't kept. */
export function useDeleteDomain({ id, name, is_ownership_verified: isKept }: DomainDetail) {
  const queryClient = useQueryClient();
  return useAction({
    call: () =>
      call<typeof deleteDomain>("DELETE", "/console/api/domains/{id}", { params: { id } }),
    invalidates: DELETED_KEYS,
    success: `${name} deleted`,
    ...(isKept && { undo: undoDeletion }),
    onDone: () => queryClient.removeQueries({ queryKey: domainKey(id) }),
  });
}
