import { Skeleton, UnstyledButton } from "@mantine/core";
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
import { useSignOut } from "#app/console/session.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

import { OPEN_SHORTCUTS } from "./shortcuts.ts";
import classes from "./user-menu.module.css";

const ThemeSwitch = onDemand(
  () => import("./lazy-parts.tsx").then((module) => module.ThemeSwitch),
  <Skeleton height={30} />,
);

const ICON = { size: 16, stroke: 1.75, "aria-hidden": true } as const;

export function UserMenu({ name, email }: { name: string; email: string }) {
  const signOut = useSignOut();
  const isHere = usePathname() === PROFILE;
  return (
    <UserMenuFrame name={name} email={email} isHere={isHere} signOut={signOut}>
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
        onClick={() => window.dispatchEvent(new Event(OPEN_SHORTCUTS))}
      >
        <IconKeyboard {...ICON} />
        Keyboard shortcuts
      </UnstyledButton>
    </UserMenuFrame>
  );
}

type SignOut = { isPending: boolean; start: () => void };

type UserMenuFrameProps = {
  name: string;
  email: string;
  isHere?: boolean;
  signOut: SignOut;
  children?: ReactNode;
};

/**
 * The signed-in user, with a menu for the theme and signing out.
 *
 * @param isHere the profile page is open
 * @param children links at the top of the menu
 */
export function UserMenuFrame({ name, email, isHere, signOut, children }: UserMenuFrameProps) {
  const text = useTexts();
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
        // Pressing something unfocusable moves focus to an ancestor: keep the menu open.
        if (relatedTarget && !isNear && !relatedTarget.contains(currentTarget)) menu.close();
      }}
    >
      {isOpen && (
        <div id={menuId} className={classes.menu}>
          {/* Links close the menu; the theme switch doesn't. */}
          <div className={classes.entries} onClick={close}>
            {children}
          </div>
          <ThemeSwitch />
          <UnstyledButton
            className={classes.entry}
            aria-busy={signOut.isPending}
            onClick={() => signOut.start()}
          >
            <IconLogout {...ICON} />
            {text(signOut.isPending ? "signOut.pending" : "signOut")}
          </UnstyledButton>
        </div>
      )}
      <UnstyledButton
        ref={button}
        className={classes.identity}
        title={text("user.menu")}
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        aria-current={isHere ? "page" : undefined}
        onPointerEnter={ThemeSwitch.preload}
        onFocus={ThemeSwitch.preload}
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
