import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { createApiKey } from "#server/console/api-keys/create-api-key.ts";
import type { getApiKey } from "#server/console/api-keys/get-api-key.ts";
import type { getKeyChoices } from "#server/console/api-keys/get-key-choices.ts";
import type { listApiKeys } from "#server/console/api-keys/list-api-keys.ts";
import type { revokeApiKey } from "#server/console/api-keys/revoke-api-key.ts";
import type { updateApiKey } from "#server/console/api-keys/update-api-key.ts";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type ApiKeyRow = Answer<typeof listApiKeys>["data"][number];
export type ApiKeyDetail = Answer<typeof getApiKey>;
export type KeyChoices = Answer<typeof getKeyChoices>;
export type KeyState = "active" | "revoked";

export type KeyFields = {
  name: string;
  permission: ApiKeyRow["permission"];
  domain_id: string | null;
  allowed_addresses: string[];
};

export const KEY_SORTS = ["-created", "name", "-used"] as const;

export const apiKeysQuery = (
  place: PageCursor,
  state: KeyState,
  sort: SortOf<typeof KEY_SORTS> = "-created",
) =>
  queryOptions({
    queryKey: ["api-keys", state, place, sort],
    queryFn: () =>
      call<typeof listApiKeys>("GET", "/console/api/api-keys", {
        query: { ...place, state, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const keyChoicesQuery = queryOptions({
  queryKey: ["api-key-choices"],
  queryFn: () => call<typeof getKeyChoices>("GET", "/console/api/api-keys/choices", {}),
});

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ["api-key", id],
    queryFn: () => call<typeof getApiKey>("GET", "/console/api/api-keys/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

function useInvalidateKeys() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      ["api-keys", "api-key"].map((name) => queryClient.invalidateQueries({ queryKey: [name] })),
    );
}

export function useCreateApiKey() {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: (body: KeyFields) =>
      call<typeof createApiKey>("POST", "/console/api/api-keys", { body }),
    onSuccess,
  });
}

export function useUpdateApiKey(id: string) {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: (body: { name: string } | { allowed_addresses: string[] }) =>
      call<typeof updateApiKey>("PATCH", "/console/api/api-keys/{id}", { params: { id }, body }),
    onSuccess,
  });
}

export function useRevokeApiKey(id: string) {
  const onSuccess = useInvalidateKeys();
  return useMutation({
    mutationFn: () =>
      call<typeof revokeApiKey>("DELETE", "/console/api/api-keys/{id}", { params: { id } }),
    onSuccess,
  });
}
