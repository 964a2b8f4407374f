import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import {
  type AnswerOf,
  ConsoleError,
  change,
  type InputOf,
  read,
} from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

/** The worker rechecks domains in the background. */
const REFRESH_MS = 15_000;

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

/** Everything that the pages of a domain show. */
export const DOMAIN = ["domains", "dns"] as const;

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

/** Credentials for the API of a DNS provider. Keep them in the state of a component only. */
export type SetupAccess = InputOf<"dns.previewDnsSetup">["body"];
export type SetupPlan = AnswerOf<"dns.previewDnsSetup">;
export type SetupResult = AnswerOf<"dns.publishDnsSetup">["results"][number];
