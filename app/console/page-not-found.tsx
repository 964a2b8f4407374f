"use client";

import Link from "next/link";

import classes from "./page-error.module.css";
import { AuthLayout } from "./ui/wordmark.tsx";
import { useTexts } from "./ui/texts.tsx";

/** Not in the file of `PageError`, which every page loads and which must not load Next's link. */
export function PageNotFound({ home, label }: { home: string; label: string }) {
  const text = useTexts();
  return (
    <AuthLayout>
      <div className={classes.words}>
        <h1>{text("page.missing")}</h1>
        <p>{text("page.missing.text")}</p>
        <div className={classes.actions}>
          <Link href={home}>{label}</Link>
        </div>
      </div>
    </AuthLayout>
  );
}
