"use client";

import { SegmentedControl, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useClickOutside, useDisclosure } from "@mantine/hooks";
import {
  IconHelpCircle,
  IconKeyboard,
  IconLogout,
  IconSelector,
  IconUser,
} from "@tabler/icons-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, useId, useRef } from "react";

import { PROFILE } from "#app/console/next-page.ts";
import { useSignOut } from "#app/console/session-queries.ts";

import { ASK_KEYS } from "./keyboard.tsx";
import classes from "./person.module.css";

const SCHEMES = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const ICON = { size: 16, stroke: 1.75, "aria-hidden": true } as const;

/** The admin who is signed in. */
export function Person({ name, email }: { name: string; email: string }) {
  const signOut = useSignOut();
  const isHere = usePathname() === PROFILE;
  const run = () => signOut.mutate();
  return (
    <PersonCard name={name} email={email} isHere={isHere} signOut={{ ...signOut, run }}>
      <Link href={PROFILE} className={classes.entry}>
        <IconUser {...ICON} />
        Your profile
      </Link>
      <Link href="/console/help" className={classes.entry}>
        <IconHelpCircle {...ICON} />
        Help
      </Link>
      <UnstyledButton
        className={classes.entry}
        data-desk
        onClick={() => window.dispatchEvent(new Event(ASK_KEYS))}
      >
        <IconKeyboard {...ICON} />
        Keyboard shortcuts
      </UnstyledButton>
    </PersonCard>
  );
}

type SigningOut = { isPending: boolean; error: Error | null; run: () => void };

/**
 * Who is signed in. One press away: what is theirs, how they like it to look, and the way out.
 *
 * @param isHere the page that is open is the person's own
 * @param children what else is theirs
 */
export function PersonCard({
  name,
  email,
  isHere,
  signOut,
  children,
}: {
  name: string;
  email: string;
  isHere?: boolean;
  signOut: SigningOut;
  children?: ReactNode;
}) {
  const [isOpen, menu] = useDisclosure();
  const place = useClickOutside<HTMLDivElement>(menu.close);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  function close() {
    menu.close();
    button.current?.focus();
  }

  return (
    <div
      ref={place}
      className={classes.person}
      onKeyDown={({ key }) => key === "Escape" && isOpen && close()}
      onBlur={({ currentTarget, relatedTarget }) => {
        const isNear = currentTarget.contains(relatedTarget);
        // A press on what takes no focus itself leaves it to what is around.
        if (relatedTarget && !isNear && !relatedTarget.contains(currentTarget)) menu.close();
      }}
    >
      {isOpen && (
        <div id={menuId} className={classes.menu}>
          {/* What leads elsewhere closes it; the theme is looked at first. */}
          <div className={classes.entries} onClick={close}>
            {children}
          </div>
          <Theme />
          <UnstyledButton
            className={classes.entry}
            aria-busy={signOut.isPending}
            onClick={() => !signOut.isPending && signOut.run()}
          >
            <IconLogout {...ICON} />
            {signOut.isPending ? "Signing out" : "Sign out"}
          </UnstyledButton>
          {signOut.error && (
            <div role="alert" className={classes.problem}>
              Could not sign out. {signOut.error.message}
            </div>
          )}
        </div>
      )}
      <UnstyledButton
        ref={button}
        className={classes.identity}
        title="What is yours, theme, and signing out"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        aria-current={isHere ? "page" : undefined}
        onClick={menu.toggle}
      >
        <span className={classes.words}>
          <span className={classes.name}>{name || email}</span>
          {name && <span className={classes.email}>{email}</span>}
        </span>
        <IconSelector size={16} aria-hidden="true" className={classes.mark} />
      </UnstyledButton>
    </div>
  );
}

function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label="Theme"
      data={SCHEMES}
      value={colorScheme}
      onChange={(value) => {
        if (value === "light" || value === "dark" || value === "auto") setColorScheme(value);
      }}
    />
  );
}
