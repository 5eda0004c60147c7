-- A shop that sells in stores, by catalog and on the web: what shapes.py makes its tables of, in DuckDB.
--
-- The variables `scale` and `seed` are set by who runs this. At scale 1 there are three million facts. Whatever looks random
-- is a hash of a number and a word, so that the same scale and seed give the same rows (with one version of DuckDB, at
-- any number of threads).
--
-- What is here on purpose:
--   * a few customers, goods and shops have most of the sales; their numbers are spread over all
--   * months and weekdays differ, and sales grow from year to year
--   * store and web sales lie in order of time, as they are appended; catalog sales lie in no order
--   * what is missing is NULL: measures, foreign keys and texts; returns of sales that nobody knows are there as well
--   * keys are numbers, far or near, and texts; money is decimal, weights and durations are doubles
--   * names are not all ASCII

create macro share_of(i, what) as hash(i, what, getvariable('seed')) / 18446744073709551616.0; -- from 0 to below 1
create macro number(i, what, n) as (hash(i, what, getvariable('seed')) % n)::integer; -- from 0 to below n
create macro hot(i, what, n, power) as least(n - 1, floor(n * share_of(i, what) ** power))::integer; -- small ones often
create macro one(i, what, list) as list[1 + number(i, what, len(list))];
create macro known(i, what, missing, value) as case when share_of(i, what || ' is missing') >= missing then value end;
create macro words(i, what, n) as array_to_string(list_transform(range(n), lambda j: getvariable('vocabulary')[
    1 + (hash(i, what, j, getvariable('seed')) % len(getvariable('vocabulary')))::integer]), ' ');

set variable vocabulary = string_split('soft strong light heavy warm cool quiet bright plain rare fine rough small wide '
    || 'wooden steel cotton woollen glass paper leather rubber copper made for home garden kitchen office travel school '
    || 'the a and with without from in on long short days rain snow summer winter easy to clean hard to break lasts years '
    || 'repairable spare parts included ask our people gift wrapped upon request not suitable children under three', ' ');
set variable first_names = string_split('Anna Ben Carla David Elena Frank Grace Hugo Ines Jonas Karin Leo Maria Nils Olga '
    || 'Paul Rosa Simon Tina Uwe Vera Walter Xenia Yusuf Zoë José Łukasz Søren Mária Олена 美咲 Françoise Jürgen Aoife', ' ');
set variable last_names = string_split('Adler Brown Castro Dietrich Evans Fischer Garcia Huber Ivanova Jensen Keller Lopez '
    || 'Meyer Novak Okafor Petrov Quinn Rossi Schmidt Tanaka Ueda Vogel Weber Xu Young Zimmermann Müller Škoda Ångström '
    || 'O''Brien Nuñez Çelik', ' ');
set variable cities = string_split('Springfield Riverton Lakeview Fairmont Ashford Milltown Greenfield Oakdale Brookside '
    || 'Harborview Stonebridge Maplewood Clearwater Hilltop Westbury Eastwick Northam Southend Königsfeld Saint-Émile', ' ');
set variable categories = ['home', 'garden', 'clothes', 'books', 'toys', 'sports', 'kitchen', 'office', 'music', 'food'];
set variable states = string_split('AL AR CA CO FL GA IL IN KS KY MA MD MI MN NC NY OH OR TX WA', ' ');

create table calendar as
select day, year(day)::integer as year, quarter(day)::integer as quarter, month(day)::integer as month,
       monthname(day) as month_name, isodow(day)::integer as weekday, dayname(day) as weekday_name,
       case when month(day) in (12, 1, 2) then 'winter' when month(day) < 6 then 'spring'
            when month(day) < 9 then 'summer' else 'autumn' end as season,
       isodow(day) > 5 or (month(day), day(day)) in ((1, 1), (12, 25), (12, 26)) as is_free,
       known(day, 'event', 0.93, one(day, 'event', ['sale', 'new catalog', 'fair', 'late opening'])) as event
from (select unnest(generate_series(date '2021-01-01', date '2024-12-31', interval 1 day))::date as day);

-- A day has as many slots as it is busy; an order takes one of all slots.
create table slots as
select row_number() over (order by day) - 1 as slot, day
from (select day, unnest(range(busy)) from (select day, round((8 + 2 * (year - 2021))
        * [0.8, 0.7, 0.9, 1.0, 1.0, 0.9, 0.8, 0.9, 1.0, 1.1, 1.7, 2.3][month]
        * [0.8, 0.8, 0.9, 1.0, 1.3, 1.6, 0.6][weekday])::integer as busy from calendar));
set variable slots = (select count(*) from slots);

create macro spread(n) as n + (n % 7919 = 0)::integer; -- keys are multiples of 7919, modulo how many there are
set variable customers = spread(greatest(100, (60000 * getvariable('scale'))::integer));
set variable products = spread(greatest(100, (18000 * sqrt(getvariable('scale')))::integer));
set variable shops = greatest(12, (80 * sqrt(getvariable('scale')))::integer);
set variable promotions = 300;
set variable warehouses = 6;

create table addresses as
select i + 1 as address_id, one(i, 'street', getvariable('vocabulary')) || ' street ' || (1 + number(i, 'house', 400)) as street,
       getvariable('cities')[1 + hot(i, 'city', 20, 1.6)] as city,
       known(i, 'state', 0.02, getvariable('states')[1 + hot(i, 'state', 20, 1.5)]) as state,
       lpad(number(i, 'postcode', 99999)::text, 5, '0') as postcode,
       known(i, 'line', 0.8, 'c/o ' || one(i, 'line', getvariable('last_names'))) as second_line,
       case when share_of(i, 'timezone') < 0.6 then -5 else -8 end as utc_offset
from range(getvariable('customers') * 4 // 5) as t(i);

-- A number with a check digit, so that they lie ten apart.
create macro customer_number(k) as (100000 + k::bigint * 7919 % getvariable('customers')) * 10 + k % 7;

create table customers as
select customer_number(i) as customer_id, one(i, 'first', getvariable('first_names')) as first_name,
       known(i, 'last', 0.01, one(i, 'last', getvariable('last_names'))) as last_name,
       known(i, 'email', 0.2, lower(one(i, 'mail', getvariable('last_names'))) || i || '@'
           || one(i, 'host', ['example.com', 'example.org', 'mail.example.net', 'shop.example.co'])) as email,
       known(i, 'birth', 0.08, date '1935-01-01' + number(i, 'birth', 26000)) as birth_date,
       known(i, 'gender', 0.1, one(i, 'gender', ['f', 'm', 'f', 'm', 'd'])) as gender,
       one(i, 'segment', ['home', 'home', 'home', 'trade', 'trade', 'school', 'public']) as segment,
       known(i, 'income', 0.15, (12000 + 180000 * share_of(i, 'income') ** 3)::decimal(10, 2)) as income,
       known(i, 'household', 0.05, 1 + number(i, 'household', 6)) as household,
       date '2015-01-01' + number(i, 'since', 3400) as since,
       known(i, 'address', 0.01, 1 + number(i, 'address', getvariable('customers') * 4 // 5)) as address_id,
       known(i, 'note', 0.7, words(i, 'note', 3 + number(i, 'note', 20))) as note
from range(getvariable('customers')) as t(i)
order by hash(i, 'order of customers');

create table goods as
select i::integer as k, (i * 7919 % getvariable('products'))::integer + 1 as product_id,
       chr(65 + number(i, 'code', 26)) || chr(65 + number(i, 'code 2', 26)) || '-' || lpad(i::text, 6, '0') as code,
       one(i, 'material', ['wooden', 'steel', 'cotton', 'woollen', 'glass', 'paper', 'leather', 'rubber']) || ' '
           || one(i, 'thing', ['chair', 'lamp', 'bag', 'shirt', 'cup', 'knife', 'ball', 'book', 'clock', 'shelf', 'Füller',
                               'jacket', 'toy', 'rug', 'pan']) || ' no. ' || (1 + number(i, 'title', 90)) as title,
       'brand ' || chr(65 + hot(i, 'brand', 26, 1.5)) || chr(65 + hot(i, 'brand 2', 12, 2)) as brand,
       getvariable('categories')[1 + hot(i, 'category', 10, 1.3)] as category,
       getvariable('categories')[1 + hot(i, 'category', 10, 1.3)] || ' / ' || (1 + number(i, 'class', 9)) as class,
       known(i, 'colour', 0.12, one(i, 'colour', ['red', 'blue', 'green', 'black', 'white', 'grey', 'café', 'yellow'])) as colour,
       (1 + 400 * share_of(i, 'price') ** 4)::decimal(9, 2) as list_price,
       known(i, 'cost', 0.03,
           ((1 + 400 * share_of(i, 'price') ** 4) * (0.35 + 0.4 * share_of(i, 'cost')))::decimal(9, 2)) as cost,
       known(i, 'weight', 0.1, 0.05 + 30 * share_of(i, 'weight') ** 5) as weight_kg,
       date '2016-01-01' + number(i, 'launched', 2900) as launched_on,
       known(i, 'gone', 0.85, date '2022-06-01' + number(i, 'gone', 900)) as dropped_on,
       words(i, 'description', 12 + number(i, 'description', 50)) as description
from range(getvariable('products')) as t(i);

create table products as select * exclude k from goods order by product_id;

create table shops as
select i::integer + 1 as shop_id, getvariable('cities')[1 + hot(i, 'shop city', 20, 1.2)] || ' no. ' || (i + 1) as name,
       getvariable('cities')[1 + hot(i, 'shop city', 20, 1.2)] as city,
       getvariable('states')[1 + hot(i, 'shop state', 12, 1.4)] as state,
       known(i, 'manager', 0.1, one(i, 'manager', getvariable('first_names')) || ' '
           || one(i, 'boss', getvariable('last_names'))) as manager,
       200 + number(i, 'floor', 5000) as floor_m2, date '2005-01-01' + number(i, 'opened', 5500) as opened_on,
       known(i, 'closed', 0.9, date '2023-01-01' + number(i, 'closed', 500)) as closed_on
from range(getvariable('shops')) as t(i);

create table promotions as
select i::integer + 1 as promotion_id, one(i, 'promotion', ['spring', 'summer', 'winter', 'member', 'clearance', 'bundle'])
           || ' ' || (2021 + i // 75) || '/' || (1 + i % 75) as name,
       one(i, 'medium', ['mail', 'tv', 'radio', 'web', 'window']) as medium,
       date '2021-01-01' + (i * 1461 // 300)::integer as starts_on,
       date '2021-01-01' + (i * 1461 // 300)::integer + 7 + number(i, 'long', 30) as ends_on,
       (number(i, 'off', 8) * 5)::decimal(5, 2) as percent_off,
       known(i, 'budget', 0.2, 1000 + 50000 * share_of(i, 'budget')) as budget
from range(getvariable('promotions')) as t(i);

create table warehouses as
select i::integer + 1 as warehouse_id, 'warehouse ' || ['north', 'south', 'east', 'west', 'harbour', 'old mill'][i + 1] as name,
       getvariable('states')[1 + hot(i, 'warehouse state', 20, 1)] as state, known(i, 'area', 0.2, 4000 + number(i, 'area', 9000)) as area_m2
from range(getvariable('warehouses')) as t(i);

create table reasons as
select i + 1 as reason_id, reason from (select unnest(range(12))::integer as i, unnest(['does not fit', 'broken on arrival',
    'not as described', 'found it cheaper', 'changed my mind', 'came too late', 'wrong colour', 'a gift twice', 'parts missing',
    'smells odd', 'too loud', 'no reason given']) as reason);

-- Orders of all channels: who buys, when, and how many lines. Their lines are what is sold.
create macro orders_of(channel, orders) as table
select i, day, k, customer_number(k) as customer_id, s, 1 + floor(9 * share_of(i, channel || ' lines') ** 1.8)::integer as lines,
       day + interval (round(28800 + 46000 * sqrt(share_of(i, channel || ' second'))))  second as moment,
       number(i, channel || ' device', 5) as device, share_of(i, channel || ' promotion') < 0.35 as promoted,
       1 + number(day, channel || ' promotion', getvariable('promotions')) as promotion_id
from (select i, (i * getvariable('slots')) // orders as slot, hot(i, channel || ' customer', getvariable('customers'), 2.4) as k,
             hot(i, channel || ' place', getvariable('shops'), 2) as s
      from range(orders) as t(i)) as orders
join slots using (slot);

-- One line of an order in 250 has no product that is known.
create macro lines_of(channel, orders) as table
select o.* exclude line, line::integer as line, i * 16 + line as n, known(i * 16 + line, channel || ' product', 0.004, product_id) as product_id,
       list_price, cost, known(i * 16 + line, channel || ' quantity', 0.01,
           1 + floor(12 * share_of(i * 16 + line, channel || ' quantity') ** 4)::integer) as quantity,
       round(list_price * (1 - 0.4 * share_of(i * 16 + line, channel || ' price') ** 3), 2)::decimal(9, 2) as unit_price
from (select *, unnest(range(1, lines + 1)) as line from orders_of(channel, orders)) as o
join goods on goods.k = hot(i * 16 + line, channel || ' product', getvariable('products'), 2.2);

create table store_sales as
select i * 3 + 1000000 as receipt_no, line, moment as sold_at, day as sold_on,
       known(n, 'store', 0.005, (s * 37) % getvariable('shops') + 1) as shop_id,
       known(i, 'store customer', 0.06, customer_id) as customer_id, product_id,
       case when promoted then promotion_id end as promotion_id, quantity, list_price, unit_price,
       known(n, 'store discount', 0.5, (round(unit_price * 0.05 * number(n, 'store discount', 5), 2))::decimal(9, 2)) as discount,
       known(n, 'store paid', 0.005, (quantity * unit_price)::decimal(11, 2)) as paid, cost,
       known(n, 'store tax', 0.02, quantity * unit_price::double * 0.07) as tax,
       ['card', 'card', 'cash', 'voucher', NULL][device + 1] as payment, 'till ' || (1 + number(i, 'till', 9)) as till
from lines_of('store', (330000 * getvariable('scale'))::bigint)
order by sold_at, receipt_no, line;

create table catalog_sales as
select 5000000000 + i * 1009 as order_no, line, day as ordered_on,
       known(n, 'shipped', 0.03, day + 1 + floor(40 * share_of(n, 'shipped') ** 3)::integer) as shipped_on,
       known(i, 'buyer', 0.01, customer_id) as buyer_id,
       case when share_of(i, 'gift') < 0.8 then customer_id
            else known(i, 'receiver', 0.2, customer_number(number(i, 'receiver', getvariable('customers')))) end as receiver_id,
       product_id, known(n, 'catalog warehouse', 0.01, 1 + hot(n, 'catalog warehouse', getvariable('warehouses'), 1.6)) as warehouse_id,
       case when promoted then promotion_id end as promotion_id, quantity, list_price, unit_price,
       known(n, 'catalog paid', 0.005, (quantity * unit_price)::decimal(11, 2)) as paid, cost,
       known(n, 'catalog shipping', 0.03, (2.5 + 20 * share_of(n, 'catalog shipping') ** 2)::decimal(7, 2)) as shipping,
       ['ground', 'air', 'courier', 'ground', 'pick up'][device + 1] as ship_mode,
       ['SPR', 'SPR', 'SUM', 'SUM', 'AUT', 'WIN'][1 + (month(day) - 1) // 2] || '-' || year(day) || '-'
           || lpad(number(i, 'edition', 40)::text, 3, '0') as catalog,
       known(i, 'call note', 0.9, words(i, 'call note', 4 + number(i, 'call note', 30))) as call_note
from lines_of('catalog', (170000 * getvariable('scale'))::bigint)
order by hash(n, 'order of catalog sales');

create table web_sales as
select 'W' || year(day) || '-' || lpad((i * 7)::text, 9, '0') as order_no, line, moment as ordered_at, day as ordered_on,
       known(i, 'web customer', 0.02, customer_id) as customer_id,
       known(i, 'web address', 0.02, 1 + (k * 3) % (getvariable('customers') * 4 // 5)) as ship_address_id, product_id,
       known(n, 'web warehouse', 0.01, 1 + hot(n, 'web warehouse', getvariable('warehouses'), 1.3)) as warehouse_id,
       case when promoted then promotion_id end as promotion_id, quantity, list_price, unit_price::double as unit_price,
       known(n, 'web paid', 0.005, (quantity * unit_price)::decimal(11, 2)) as paid, cost,
       known(n, 'web shipping', 0.2, (1.5 + 12 * share_of(n, 'web shipping'))::decimal(7, 2)) as shipping,
       ['phone', 'phone', 'desktop', 'tablet', NULL][device + 1] as device,
       known(i, 'referrer', 0.4, 'https://' || one(i, 'referrer', ['search.example', 'news.example', 'mail.example',
           'Ads.Example']) || '/' || one(i, 'path', getvariable('vocabulary')) || '?id=' || number(i, 'campaign', 5000)) as referrer,
       known(i, 'session', 0.1, 20 + 3000 * share_of(i, 'session') ** 3) as session_seconds
from lines_of('web', (130000 * getvariable('scale'))::bigint)
order by ordered_at, order_no, line;

-- About one line in eleven comes back, some goods and customers more often; one return in eighty names a sale that is not known.
create macro comes_back(key, line, product) as share_of(key, 'back ' || line) < 0.05 + 0.12 * share_of(product, 'back') ** 2;
create macro stray(key, line) as share_of(key, 'stray ' || line) < 0.0125;
create macro days_until(key, line) as 1 + floor(75 * share_of(key, 'until ' || line) ** 2.5)::integer;
create macro reason_of(key, line) as known(key, 'reason' || line, 0.05, 1 + hot(key, 'reason ' || line, 12, 1.4));
create macro part_of(quantity, key, line) as greatest(1, (quantity * share_of(key, 'part ' || line))::integer);

create table store_returns as
select case when stray(receipt_no, line) then receipt_no + 1 else receipt_no end as receipt_no, line,
       sold_on + days_until(receipt_no, line) as returned_on, known(receipt_no, 'back at', 0.03, shop_id) as shop_id,
       known(receipt_no, 'back by', 0.1, customer_id) as customer_id, product_id, reason_of(receipt_no, line) as reason_id,
       part_of(quantity, receipt_no, line) as quantity,
       (part_of(quantity, receipt_no, line) * unit_price)::decimal(11, 2) as refund,
       known(receipt_no, 'fee', 0.4, 5 * share_of(receipt_no, 'fee')) as fee
from store_sales where comes_back(receipt_no, line, product_id)
order by returned_on, receipt_no, line;

create table catalog_returns as
select case when stray(order_no, line) then order_no + 1 else order_no end as order_no, line,
       coalesce(shipped_on, ordered_on) + days_until(order_no, line) as returned_on,
       known(order_no, 'back by', 0.05, coalesce(receiver_id, buyer_id)) as customer_id, product_id, warehouse_id,
       reason_of(order_no, line) as reason_id, part_of(quantity, order_no, line) as quantity,
       (part_of(quantity, order_no, line) * unit_price)::decimal(11, 2) as refund
from catalog_sales where comes_back(order_no, line, product_id)
order by returned_on, order_no, line;

create table web_returns as
select case when stray(order_no, line) then 'X' || order_no else order_no end as order_no, line,
       ordered_on + days_until(order_no, line) as returned_on, known(order_no, 'back by', 0.05, customer_id) as customer_id,
       product_id, reason_of(order_no, line) as reason_id, part_of(quantity, order_no, line) as quantity,
       known(order_no, 'refund', 0.01, (part_of(quantity, order_no, line) * unit_price::decimal(9, 2))::decimal(11, 2)) as refund,
       known(order_no, 'comment', 0.6, words(hash(order_no, line), 'comment', 2 + (hash(order_no) % 25)::integer)) as comment
from web_sales where comes_back(order_no, line, product_id)
order by returned_on, order_no, line;

-- What each warehouse counted on the first of each month.
create table stock as
select day as counted_on, warehouse_id, product_id, known(product_id * 6 + warehouse_id, 'stock ' || day, 0.02,
           number(product_id * 6 + warehouse_id, 'stock of ' || day, 900) - 20) as on_hand
from calendar, warehouses, products
where day(day) = 1 and share_of(product_id * 6 + warehouse_id, 'stocked') < 0.12
order by counted_on, warehouse_id, product_id;

-- What techniques do not like, for techniques.sql: no row is where it belongs, and of each kind there is one that spoils it.
set variable odds = greatest(1000, (800000 * getvariable('scale'))::integer);

create table odds as
select i as n, md5('token ' || i) as token, -- all different
       'n' || hash(i, 'nearly') % (9 * getvariable('odds') // 10)::ubigint as nearly, -- nearly all
       case when place < 9 * getvariable('odds') // 10 then one(i, 'late', ['new', 'open', 'paid', 'sent'])
            else 'late ' || i end as late, -- few at first, then all different
       case when i = 77 then 9000000000000000 else number(i, 'outlier', 1000) end as outlier, -- dense but for one
       (number(i, 'far', 20000) + 1)::bigint * 461168601842738 as far, -- few, far apart
       number(i, 'step', 5000) * 1000 + (i = 78)::integer as step, -- in steps but for one
       case when i % 4000 = 3 then 2000000000 + number(i, 'wide', 99) else number(i, 'wide', 100) end as wide, -- narrow but for some
       1 as tie, known(i, 'amount', 0.3, number(i, 'amount', 10000) - 3000) as amount,
       known(i, 'rate', 0.2, share_of(i, 'rate') * 50) as rate, (number(i, 'price', 100000000) / 100.0)::decimal(12, 2) as price,
       case when place > getvariable('odds') - 3 then 'n/a' else number(i, 'digits', 5000)::text end as digits, -- numbers but for the last
       case when place > getvariable('odds') - 3 then 0 else 1 + number(i, 'divisor', 900) end as divisor, -- zero at the end
       timestamp '2021-01-01' + to_microseconds((share_of(i, 'stamp') * 126230400000000)::bigint) as stamp,
       case when place > getvariable('odds') - 3 then 5000 else number(i, 'grade', 60) end as grade,
       'https://shop.example/catalog/2024/autumn/pages/' || lpad(number(i, 'page', 300000)::text, 9, '0') || '/index.html' as page,
       known(i, 'flag', 0.1, share_of(i, 'flag') < 0.5) as flag
from (select i, row_number() over (order by hash(i, 'place of odds')) as place from range(getvariable('odds')::bigint) as t(i))
order by place;

create table ends as
select i as n, 'n' || hash(i, 'label') % getvariable('odds')::ubigint as label, number(i, 'weight', 1000) / 10.0 as weight,
       known(i, 'group', 0.05, number(i, 'group', 40)) as part
from range(getvariable('odds')::bigint) as t(i)
order by hash(i, 'place of ends');

drop table goods;
drop table slots;
