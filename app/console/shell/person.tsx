"use client";

import { Button, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname } from "next/navigation";

import { YOU } from "#app/console/next-page.ts";
import { useSignOut } from "#app/console/session-queries.ts";

import classes from "./shell.module.css";

const SCHEMES = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** The admin who is signed in. */
export function Person({ name, email }: { name: string; email: string }) {
  const signOut = useSignOut();
  const run = () => signOut.mutate();
  return <PersonCard name={name} email={email} href={YOU} signOut={{ ...signOut, run }} />;
}

type SigningOut = { isPending: boolean; error: Error | null; run: () => void };

/** Who is signed in, how they like it to look, and the way out. */
export function PersonCard({
  name,
  email,
  href,
  signOut,
}: {
  name: string;
  email: string;
  /** Where the person changes what is their own. */
  href?: string;
  signOut: SigningOut;
}) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();

  function handleScheme(value: string) {
    if (value === "light" || value === "dark" || value === "auto") setColorScheme(value);
  }

  return (
    <div className={classes.person}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Theme"
        data={SCHEMES}
        value={colorScheme}
        onChange={handleScheme}
      />
      <Identity name={name} email={email} href={href} />
      <Button
        variant="default"
        size="xs"
        fullWidth
        leftSection={<IconLogout size={14} />}
        loading={signOut.isPending}
        onClick={signOut.run}
      >
        Sign out
      </Button>
      {signOut.error && (
        <div role="alert" className={classes.email}>
          Could not sign out. {signOut.error.message}
        </div>
      )}
    </div>
  );
}

function Identity({
  name,
  email,
  href,
}: {
  name: string;
  email: string;
  href: string | undefined;
}) {
  const pathname = usePathname();
  const words = (
    <>
      <div className={classes.name}>{name || email}</div>
      {name && <div className={classes.email}>{email}</div>}
    </>
  );
  if (!href) return <div className={classes.identity}>{words}</div>;
  return (
    <Link
      href={href}
      className={classes.identity}
      aria-current={pathname === href ? "page" : undefined}
      title="Your profile and security"
    >
      {words}
    </Link>
  );
}
