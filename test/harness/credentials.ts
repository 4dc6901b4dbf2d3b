const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

export const bearerHeader = (token: string): string => `Bearer ${token}`;

export const tokenHeader = (token: string): string => basic(`token:${token}`);

export const accountHeader = (username: string, password: string): string => basic(`${username}:${password}`);
