import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

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
  queryOptions({
    queryKey: ["api-keys", state, place, sort],
    queryFn: () =>
      read("apiKeys.list", {
        query: { ...place, state, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const keyChoicesQuery = queryOptions({
  queryKey: ["api-key-choices"],
  queryFn: () => read("apiKeys.getChoices", {}),
});

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ["api-key", id],
    queryFn: () => read("apiKeys.get", { params: { id } }),
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
