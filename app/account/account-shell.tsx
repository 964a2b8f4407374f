"use client";

import {
  IconArrowForwardUp,
  IconBeach,
  IconDeviceMobile,
  IconFilter,
  IconHome,
  IconKey,
  IconLock,
  IconMail,
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
import { readerLocale } from "#app/console/ui/reader-locale.ts";
import { type GetText, useTexts } from "#app/console/ui/texts.tsx";

import { NEW_PASSWORD, WEBMAIL } from "./account-page.ts";
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
  const text = useTexts();
  const signOut = useMailboxSignOut();

  const isDue = me?.mustChangePassword ?? false;
  useEffect(() => {
    if (isDue) router.replace(NEW_PASSWORD);
  }, [isDue, router]);

  // The language was changed just now, in another browser, or by another user of this one. The document's `lang` can't show
  // that: a browser that translates the page changes it, so the page would reload forever.
  const language = me?.pageLanguage;
  useEffect(() => {
    if (language && language !== readerLocale.language) window.location.reload();
  }, [language]);

  return (
    <ShellFrame
      name={text("mailbox")}
      company={me?.company}
      groups={accountNavigation(me, text)}
      userMenu={me && <UserMenuFrame name={me.name} email={me.address} signOut={signOut} />}
    >
      <ConfirmationProvider value={providerConfirmation(me)}>{children}</ConfirmationProvider>
    </ShellFrame>
  );
}

const accountNavigation = (me: MailboxUser | undefined, text: GetText): NavigationGroup[] => [
  {
    group: text("mailbox"),
    entries: [
      { label: text("overview"), href: "/account/overview", icon: IconHome },
      ...(me?.hasWebmail
        ? [{ label: text("webmail"), href: WEBMAIL, icon: IconMail, external: true as const }]
        : []),
      { label: text("setUp"), href: "/account/set-up", icon: IconDeviceMobile },
    ],
  },
  {
    group: text("incoming"),
    entries: [
      { label: text("filters"), href: "/account/filters", icon: IconFilter },
      { label: text("forwarding"), href: "/account/forwarding", icon: IconArrowForwardUp },
      { label: text("vacation"), href: "/account/vacation", icon: IconBeach },
      // Where mailbox users don't see it, admins review it.
      ...(me?.showsQuarantine
        ? [{ label: text("quarantine"), href: "/account/quarantine", icon: IconShieldExclamation }]
        : []),
    ],
  },
  {
    group: text("security"),
    entries: [
      // With required single sign-on, there is no password to change.
      ...((me?.acceptsPassword ?? true)
        ? [{ label: text("password"), href: "/account/password", icon: IconLock }]
        : []),
      { label: text("twoFactor.short"), href: "/account/two-factor", icon: IconShieldLock },
      { label: text("appPasswords"), href: "/account/app-passwords", icon: IconKey },
      { label: text("sessions"), href: "/account/sessions", icon: IconPlugConnected },
    ],
  },
];
