import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { StatusTone } from "#app/console/ui/status.tsx";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type ApiKeyRow = AnswerOf<"apiKeys.list">["data"][number];

export type ApiKeyDetail = AnswerOf<"apiKeys.get">;

export type KeyChoices = AnswerOf<"apiKeys.getChoices">;

export type KeyState = "active" | "revoked";

export type KeyFields = {
  name: string;
  permission: ApiKeyRow["permission"];
  domainId: string | null;
  allowedAddresses: string[];
};

export const KEY_SORTS = ["-created", "name", "-used"] as const;

export const apiKeysQuery = (
  place: PageCursor,
  state: KeyState,
  sort: SortOf<typeof KEY_SORTS> = "-created",
) =>
  listOf(
    "apiKeys.list",
    { ...place, state, sort, rows: ROWS_PER_PAGE },
    { refetchInterval: REFRESH_MS },
  );

export const keyChoicesQuery = queryOf("apiKeys.getChoices", {});

export const apiKeyQuery = (id: string) =>
  queryOf("apiKeys.get", { params: { id } }, { refetchInterval: REFRESH_MS });

function useInvalidateKeys() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      ["list", "get"].map((verb) => queryClient.invalidateQueries({ queryKey: ["apiKeys", verb] })),
    );
}

export function useCreateApiKey() {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: (body: KeyFields) => change("apiKeys.create", { body }),
    onSuccess,
  });
}

export function useUpdateApiKey(id: string) {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: (body: { name: string } | { allowedAddresses: string[] }) =>
      change("apiKeys.update", { params: { id }, body }),
    onSuccess,
  });
}

export function useRevokeApiKey(id: string) {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: () => change("apiKeys.revoke", { params: { id } }),
    onSuccess,
  });
}

export const permissions = {
  full_access: {
    label: "Full access",
    help: "Everything the API can do, within your own privileges.",
  },
  sending_access: {
    label: "Sending access",
    help: "Can only send emails. Enough for most applications.",
  },
  test: {
    label: "Test",
    help: "Nothing is delivered: emails are simulated and kept apart from live ones.",
  },
} as const;

/** "Full access" or "Sending from northwind.com". */
export const accessLabel = ({ permission, domain }: ApiKeyRow): string =>
  domain === null ? permissions[permission].label : `Sending from ${domain}`;

export function keyStatus(key: ApiKeyRow): { label: string; tone: StatusTone } {
  if (key.revokedAt !== null) return { label: "Revoked", tone: "none" };
  if (key.creator.isDisabled) return { label: "Disabled", tone: "failed" };
  return { label: "Active", tone: "done" };
}

export const creatorName = ({ creator }: ApiKeyRow): string => creator.name || creator.email;
