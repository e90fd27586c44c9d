import { describe, expect, it } from 'vitest';
import { codeOf, isConnectionLost, meaningOf } from '../../../server/store/postgres/failures.ts';

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

  it('a connection that ended without a word is lost', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each([
    ['57P01', true, 'unreachable'],
    ['57P03', true, 'unreachable'],
    ['25P03', true, 'unreachable'],
    ['53300', true, 'overloaded'],
    ['53100', false, 'no-room'],
    ['53200', false, 'overloaded'],
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

  it('a violated constraint is a bug of ours and stays what it is', () => {
    const error = answered('23505');
    expect(meaningOf(error)).toBe(error);
  });
});
