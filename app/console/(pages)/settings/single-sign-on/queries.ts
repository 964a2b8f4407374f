import { useMutation } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { meQuery } from "#app/console/session.ts";

type SingleSignOnSettings = AnswerOf<"singleSignOn.get">;
export type ConnectedProvider = NonNullable<SingleSignOnSettings["provider"]>;
/** How mailboxes sign in; null unless they can sign in with the provider. */
export type ProviderUse = SingleSignOnSettings["mailboxes"];

export const singleSignOnQuery = queryOf("singleSignOn.get", {});

const invalidates = [singleSignOnQuery.queryKey, meQuery.queryKey];

export const useCheckProvider = () =>
  useMutation({
    mutationFn: (issuer: string) => change("singleSignOn.check", { body: { issuer } }),
  });

export const useSaveProvider = () =>
  useAction({
    call: (body: InputOf<"singleSignOn.save">["body"]) => change("singleSignOn.save", { body }),
    invalidates,
    success: "Identity provider saved. To test it, sign out and use single sign-on.",
  });

export const useUpdateProvider = (success: string) =>
  useAction({
    call: (body: InputOf<"singleSignOn.update">["body"]) => change("singleSignOn.update", { body }),
    invalidates,
    success,
  });

export const useUnlinkAdmin = () =>
  useAction({
    call: (email: string) => change("singleSignOn.unlinkAdmin", { body: { email } }),
    success: (_, email) => `${email} unlinked`,
  });

export const useRemoveProvider = () =>
  useAction({
    call: () => change("singleSignOn.remove", {}),
    invalidates,
    success: "Identity provider removed",
  });
