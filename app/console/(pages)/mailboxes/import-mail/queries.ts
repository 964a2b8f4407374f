import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { cancelImport } from "#server/console/mail-imports/cancel-import.ts";
import type { checkSource } from "#server/console/mail-imports/check-source.ts";
import type { getImport } from "#server/console/mail-imports/get-import.ts";
import type { listImports } from "#server/console/mail-imports/list-imports.ts";
import type { repeatImport } from "#server/console/mail-imports/repeat-import.ts";
import type { startImports } from "#server/console/mail-imports/start-imports.ts";

/** While imports run, and otherwise. */
const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;

export type MailImports = Answer<typeof listImports>;
export type MailImport = MailImports["data"][number];
export type MailImportDetail = Answer<typeof getImport>;
/** A server and how to sign in there. */
export type Source = {
  host: string;
  port: number;
  security: "tls" | "starttls" | "none";
  secret_kind: "password" | "oauth";
};
export type NewImports = Source & {
  keep_secret: boolean;
  accounts: { account: string; secret: string; mailbox: string }[];
};

export const isActive = ({ state }: Pick<MailImport, "state">) =>
  state === "queued" || state === "running";

export const importsQuery = queryOptions({
  queryKey: ["mail-imports"],
  queryFn: () => call<typeof listImports>("GET", "/console/api/mail-imports", { query: {} }),
  refetchInterval: ({ state: { data } }) => (data?.data.some(isActive) ? RUNNING_MS : IDLE_MS),
});

export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ["mail-imports", id],
    queryFn: () =>
      call<typeof getImport>("GET", "/console/api/mail-imports/{id}", { params: { id } }),
    refetchInterval: ({ state: { data } }) => (data && isActive(data) ? RUNNING_MS : IDLE_MS),
  });

export const startNewImports = (body: NewImports) =>
  call<typeof startImports>("POST", "/console/api/mail-imports", { body });

export const checkAccount = (body: Source & { account: string; secret: string }) =>
  call<typeof checkSource>("POST", "/console/api/mail-imports/check", { body });

export const cancelMailImport = (id: string) =>
  call<typeof cancelImport>("POST", "/console/api/mail-imports/{id}/cancel", { params: { id } });

export const repeatMailImport = (id: string, secret?: string) =>
  call<typeof repeatImport>("POST", "/console/api/mail-imports/{id}/repeat", {
    params: { id },
    body: secret === undefined ? {} : { secret },
  });
