import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readAddress } from '../../../server/store/postgres/address.ts';
import {
  codeOf,
  isConnectionLost,
  isForgotten,
  meaningOf,
} from '../../../server/store/postgres/failures.ts';
import { inWords } from '../../../server/store/postgres/in-words.ts';
import { Connector } from '../../../server/store/postgres/connections.ts';
import { SchemaSeen } from '../../../server/store/postgres/transaction.ts';
import { StoreError } from '../../../server/store/store.ts';

const answered = (code: string, severity = 'ERROR') =>
  Object.assign(new Error(`said ${code}`), { code, severity });
const met = (code: string) => Object.assign(new Error(`met ${code}`), { code });

describe('what a failure of the database means', () => {
  it.each([
    ['EPIPE', true],
    ['ECONNREFUSED', true],
    ['ETIMEDOUT', true],
  ])('%s of Node is a lost connection', (code, isLost) => {
    expect(isConnectionLost(met(code))).toBe(isLost);
    expect(meaningOf(met(code))).toMatchObject({ failure: 'unreachable', retryAfterSeconds: 2 });
  });

  it('a connection that ended without a word is lost, and not by a row that cannot be read', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
    const error = new RangeError('Invalid time value');
    expect(isConnectionLost(error)).toBe(false);
    expect(meaningOf(error)).toBe(error);
  });

  it.each([
    ['57P01', true, 'unreachable'],
    ['57P03', true, 'unreachable'],
    ['25P03', true, 'unreachable'],
    ['53300', true, 'overloaded'],
    ['53100', false, 'no-room'],
    ['53200', false, 'overloaded'],
    // A limit of the server, as temp_file_limit.
    ['53400', false, 'overloaded'],
    ['55P03', false, 'overloaded'],
    ['57014', false, 'overloaded'],
    ['40001', false, 'overloaded'],
    ['40P01', false, 'overloaded'],
    ['25006', false, 'refused'],
    ['42501', false, 'refused'],
    ['42P01', false, 'refused'],
    ['28P01', false, 'unreachable'],
    ['3D000', false, 'unreachable'],
  ])('%s: lost %s, and so %s', (code, isLost, failure) => {
    expect(isConnectionLost(answered(code, 'FATAL'))).toBe(isLost);
    expect(meaningOf(answered(code, 'FATAL'))).toMatchObject({ failure });
  });

  it('a database that is not there is not a role that is refused', () => {
    expect(meaningOf(answered('3D000', 'FATAL'))).toMatchObject({
      message: 'The database is not there.',
    });
  });

  it.each([
    // As PgBouncer 1.18 says it.
    ['SASL authentication failed', '28P01'],
    ['"trust" authentication failed', '28P01'],
    ['password authentication failed for user "owner"', '28P01'],
    ['no such user: owner', '28P01'],
    ['server login failed: wrong password type', '28P01'],
    ['no such database: blog', '3D000'],
    ['database "blog" does not exist', '3D000'],
    ['server login has been failing, try again later (server_login_retry)', '08P01'],
    ['client_login_timeout (server down)', '08P01'],
  ])('a pooler that says %s means %s', (words, code) => {
    const refused = Object.assign(new Error(words), { code: '08P01', severity: 'FATAL' });
    expect(codeOf(refused)).toBe(code);
    expect(isConnectionLost(refused)).toBe(code === '08P01');
  });

  it('a certificate that is over is not one that nobody vouches for', () => {
    const said = (code: string) => inWords(readAddress('postgres://a@127.0.0.1/b'), met(code));
    expect(said('CERT_HAS_EXPIRED')?.hint).toMatch(/^Have the certificate of the server renewed/);
    expect(said('CERT_NOT_YET_VALID')?.hint).toMatch(/the clock of this machine/);
    expect(said('SELF_SIGNED_CERT_IN_CHAIN')?.hint).toContain('as sslrootcert of the address');
  });

  it('a role that may not log in is no matter of a password', () => {
    const text = 'role "a" is not permitted to log in';
    const refused = Object.assign(new Error(text), { code: '28000', severity: 'FATAL' });
    expect(inWords(readAddress('postgres://a@127.0.0.1/b'), refused)?.hint).toMatch(/ LOGIN\.$/);
  });

  it('a password that is refused is looked for where it stands', () => {
    const wrong = answered('28P01', 'FATAL');
    const said = (text: string) => inWords(readAddress(text), wrong)?.hint;
    expect(said('postgres://a:secret@127.0.0.1/b')).toMatch(
      /stands in BLOGCTL_STORE, which counts/,
    );
    expect(said('postgres://a@127.0.0.1/b')).toMatch(/^Set PGPASSWORD or PGPASSFILE, and look at/);
  });

  it.each([
    ['user', '"user"'],
    ['"blog"', '"""blog"""'],
    ['blogctl_serve', 'blogctl_serve'],
  ])('the rights of the role %s are given to %s, which SQL has for a name', (role, named) => {
    const lacked = Object.assign(new Error('permission denied for database order'), {
      code: '42501',
      severity: 'FATAL',
    });
    const hint = inWords(readAddress('postgres://127.0.0.1/order'), lacked, role)?.hint;
    expect(hint).toContain(`GRANT CONNECT ON DATABASE "order" TO ${named}; GRANT USAGE`);
  });

  it('what became of a change is in doubt with its cause, and a line that looks', () => {
    const unknown = new StoreError('outcome-unknown', 'x', { cause: new Error('no standby') });
    expect(inWords(readAddress('postgres://a:secret@127.0.0.1/b'), unknown)).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/did not say whether it was saved: no standby\. It may have/),
      hint: expect.stringContaining('`psql postgres://a@127.0.0.1/b -c "SELECT id, title'),
    });
  });

  it('a pooler that lets no transaction begin refuses it for good', () => {
    const text = 'transaction blocks not allowed in statement pooling mode';
    const refused = Object.assign(new Error(text), { code: '08P01', severity: 'FATAL' });
    expect([isConnectionLost(refused), isForgotten(refused)]).toEqual([false, false]);
    expect(meaningOf(refused)).toMatchObject({ failure: 'refused' });
  });

  it('a violated constraint is a bug of ours and stays what it is', () => {
    const error = answered('23505');
    expect(meaningOf(error)).toBe(error);
  });
});

it('a schema is looked at after ten seconds, also where the clock of the day was put back', () => {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const schema = new SchemaSeen();
  expect(schema.isDue).toBe(true);
  const [day, time] = [Date.now(), performance.now()];
  const elapsed = vi.spyOn(performance, 'now').mockReturnValue(time);
  vi.useFakeTimers({ toFake: ['Date'], now: day });
  schema.see({ version: 1, readable_from: 1 });
  vi.setSystemTime(day + 3_600_000);
  expect(schema.isDue).toBe(false);
  vi.setSystemTime(day - 3_600_000);
  elapsed.mockReturnValue(time + 10_000);
  expect(schema.isDue).toBe(true);
});

it('a database that is away is given up in time, also where the clock of the day stands still', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'] });
  const link = new Connector(readAddress('postgres://a@127.0.0.1:1/b'));
  await expect(link.read({ text: 'SELECT' }, [], 300)).rejects.toThrow('does not answer');
});
