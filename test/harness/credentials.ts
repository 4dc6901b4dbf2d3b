import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { secretMark } from './secrets.ts';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

export const bearerHeader = (token: string): string => `Bearer ${token}`;

export const tokenHeader = (token: string): string => basic(`token:${token}`);

export const accountHeader = (username: string, password: string): string => basic(`${username}:${password}`);

/** As many as most suites have users. */
const hashedCount = 40;

const fileVariable = 'STOCKROOM_HASHED_PASSWORDS';

/** A password that is recognised wherever it comes out. */
export const newPassword = (): string => `${secretMark}:${randomBytes(6).toString('hex')}ü`;

/** Hashes passwords for the users of all suites, once: a hash takes 50 ms. */
export const hashPasswords = async (file: string): Promise<void> => {
  process.env[fileVariable] = file;
  if (existsSync(file)) return;
  const passwords = Array.from({ length: hashedCount }, newPassword);
  const hashed = await Promise.all(passwords.map(async (password) => [password, await hashPassword(password)]));
  // Another run of the tests may read the file at the same time.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(hashed), { mode: 0o600 });
  renameSync(unfinished, file);
};

const readHashed = (): ReadonlyMap<string, string> => {
  const file = process.env[fileVariable];
  return new Map(file ? (JSON.parse(readFileSync(file, 'utf8')) as [string, string][]) : []);
};

let hashes: ReadonlyMap<string, string> | undefined;
let given = 0;

const known = (): ReadonlyMap<string, string> => {
  hashes ??= readHashed();
  return hashes;
};

/** A password for a user. They go round: of forty users in a row, each has another one. */
export const userPassword = (): string => {
  const passwords = [...known().keys()];
  const next = given % passwords.length;
  given += 1;
  return passwords[next] ?? newPassword();
};

/** The hash of a password, without the work for one of `userPassword`. */
export const hashOf = async (password: string): Promise<string> => known().get(password) ?? hashPassword(password);
