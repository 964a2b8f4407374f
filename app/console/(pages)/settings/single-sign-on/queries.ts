import { queryOptions, useMutation } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import { meQuery } from "#app/console/session-queries.ts";
import type { checkProvider } from "#server/console/single-sign-on/check-provider.ts";
import type { getProvider } from "#server/console/single-sign-on/get-provider.ts";
import type { removeProvider } from "#server/console/single-sign-on/remove-provider.ts";
import type { saveProvider } from "#server/console/single-sign-on/save-provider.ts";
import type { unlinkAdmin } from "#server/console/single-sign-on/unlink-admin.ts";
import type { updateProvider } from "#server/console/single-sign-on/update-provider.ts";

type SingleSignOnSettings = Answer<typeof getProvider>;
export type ConnectedProvider = NonNullable<SingleSignOnSettings["provider"]>;
/** How mailboxes sign in; null unless they can sign in with the provider. */
export type ProviderUse = SingleSignOnSettings["mailboxes"];

type Body<E extends { body?: z.ZodType | undefined }> = z.input<NonNullable<E["body"]>>;

const PATH = "/console/api/single-sign-on";

export const singleSignOnQuery = queryOptions({
  queryKey: ["settings", "single-sign-on"],
  queryFn: () => call<typeof getProvider>("GET", PATH, {}),
});

const invalidates = [singleSignOnQuery.queryKey, meQuery.queryKey];

export const useCheckProvider = () =>
  useMutation({
    mutationFn: (issuer: string) =>
      call<typeof checkProvider>("POST", `${PATH}/check`, { body: { issuer } }),
  });

export const useSaveProvider = () =>
  useAction({
    call: (body: Body<typeof saveProvider>) => call<typeof saveProvider>("POST", PATH, { body }),
    invalidates,
    success: "Identity provider saved. To test it, sign out and use single sign-on.",
  });

export const useUpdateProvider = (success: string) =>
  useAction({
    call: (body: Body<typeof updateProvider>) =>
      call<typeof updateProvider>("PATCH", PATH, { body }),
    ...{ invalidates, success },
  });

export const useUnlinkAdmin = () =>
  useAction({
    call: (email: string) =>
      call<typeof unlinkAdmin>("POST", `${PATH}/unlink`, { body: { email } }),
    success: (_, email) => `${email} unlinked`,
  });

export const useRemoveProvider = () =>
  useAction({
    call: () => call<typeof removeProvider>("DELETE", PATH, {}),
    invalidates,
    success: "Identity provider removed",
  });
