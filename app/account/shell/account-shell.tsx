"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";

import { ConfirmationProvider } from "#app/console/second-factors/password-field.tsx";
import { UserMenuFrame } from "#app/console/shell/user-menu.tsx";
import { ShellFrame } from "#app/console/shell/shell.tsx";
import { NEW_PASSWORD } from "#app/account/account-page.ts";
import { confirmWithProvider } from "#app/account/factor-queries.ts";
import { type Me, meQuery, useSignOut } from "#app/account/queries.ts";

import { accountNavigation } from "./navigation.ts";

const providerConfirmation = (me: Me | undefined) => (me?.providerId ? confirmWithProvider : null);

export function AccountShell({ children }: { children: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  const router = useRouter();
  const signOut = useSignOut();

  const isDue = me?.mustChangePassword ?? false;
  useEffect(() => {
    if (isDue) router.replace(NEW_PASSWORD);
  }, [isDue, router]);

  return (
    <ShellFrame
      name="Mailbox"
      company={me?.company}
      groups={accountNavigation({
        showsQuarantine: me?.showsQuarantine ?? false,
        usesPassword: me?.acceptsPassword ?? true,
      })}
      userMenu={me && <UserMenuFrame name={me.name} email={me.address} signOut={signOut} />}
    >
      <ConfirmationProvider value={providerConfirmation(me)}>{children}</ConfirmationProvider>
    </ShellFrame>
  );
}
