"use client";

import {
  IconArrowForwardUp,
  IconBeach,
  IconDeviceMobile,
  IconFilter,
  IconHome,
  IconKey,
  IconLock,
  IconPlugConnected,
  IconShieldExclamation,
  IconShieldLock,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";

import { ConfirmationProvider } from "#app/console/second-factors/confirm-identity.tsx";
import type { NavigationGroup } from "#app/console/shell/navigation.ts";
import { ShellFrame } from "#app/console/shell/shell.tsx";
import { UserMenuFrame } from "#app/console/shell/user-menu.tsx";

import { NEW_PASSWORD } from "./account-page.ts";
import {
  confirmWithProvider,
  type MailboxUser,
  mailboxUserQuery,
  useMailboxSignOut,
} from "./queries.ts";

const providerConfirmation = (me: MailboxUser | undefined) =>
  me?.providerId ? confirmWithProvider : null;

export function AccountShell({ children }: { children: ReactNode }) {
  const { data: me } = useQuery(mailboxUserQuery);
  const router = useRouter();
  const signOut = useMailboxSignOut();

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

/**
 * @param showsQuarantine false if the company's admins alone review it
 * @param usesPassword false if the company requires single sign-on
 */
const accountNavigation = ({
  showsQuarantine,
  usesPassword,
}: {
  showsQuarantine: boolean;
  usesPassword: boolean;
}): NavigationGroup[] => [
  {
    group: "Mailbox",
    entries: [
      { label: "Overview", href: "/account/overview", icon: IconHome },
      { label: "Set up mail apps", href: "/account/set-up", icon: IconDeviceMobile },
    ],
  },
  {
    group: "Incoming mail",
    entries: [
      { label: "Filters", href: "/account/filters", icon: IconFilter },
      { label: "Forwarding", href: "/account/forwarding", icon: IconArrowForwardUp },
      { label: "Automatic replies", href: "/account/vacation", icon: IconBeach },
      ...(showsQuarantine
        ? [{ label: "Quarantine", href: "/account/quarantine", icon: IconShieldExclamation }]
        : []),
    ],
  },
  {
    group: "Security",
    entries: [
      ...(usesPassword ? [{ label: "Password", href: "/account/password", icon: IconLock }] : []),
      { label: "Two-factor", href: "/account/two-factor", icon: IconShieldLock },
      { label: "App passwords", href: "/account/app-passwords", icon: IconKey },
      { label: "Sessions", href: "/account/sessions", icon: IconPlugConnected },
    ],
  },
];
