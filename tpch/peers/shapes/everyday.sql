-- What people ask of a table every day, and suites of benchmarks hardly ever: ranges that meet, the latest before, JSON, patterns, lists,
-- first rows, shares, gaps. Over the shop of shop.sql. Each has an answer that does not depend on who computes it: ties are broken.

-- promotions-that-overlap: pairs of promotions of one medium that run at the same time (a join on overlapping ranges)
select a.medium, count(*) as pairs, sum(least(a.ends_on, b.ends_on) - greatest(a.starts_on, b.starts_on)) as days
from promotions a
join promotions b on a.medium = b.medium and a.promotion_id < b.promotion_id and a.starts_on <= b.ends_on and b.starts_on <= a.ends_on
group by a.medium
order by a.medium;

-- sales-while-promoted: web lines by the promotions that ran on their day, whichever they are (a join on a range alone)
select p.medium, count(*) as times, sum(w.quantity) as pieces
from web_sales w
join promotions p on w.ordered_on between p.starts_on and p.ends_on
where w.session_seconds > 2000
group by p.medium
order by p.medium;

-- quiet-neighbours: pairs of customers with a large income of whom one joined within a week of the other (range self join)
select count(*) as pairs, sum(b.since - a.since) as days
from customers a
join customers b on b.since > a.since and b.since <= a.since + 7
where a.income > 150000 and b.income > 150000;

-- price-before-sale: what a product last cost in stores before it was ordered by catalog (the latest before a date)
select count(x.unit_price) as known, sum(x.unit_price - c.unit_price) as difference
from (select * from catalog_sales where order_no % 97 = 0) c
left join lateral (
    select s.unit_price from store_sales s
    where s.product_id = c.product_id and s.sold_on < c.ordered_on
    order by s.sold_at desc, s.receipt_no desc, s.line desc limit 1
) as x on true;

-- last-seen: for customers of one segment the line that they bought last, by LATERAL
select count(*) as customers, sum(x.quantity) as pieces, min(x.sold_on) as first
from customers c
cross join lateral (
    select s.quantity, s.sold_on from store_sales s
    where s.customer_id = c.customer_id
    order by s.sold_at desc, s.receipt_no desc, s.line desc limit 1
) as x
where c.segment = 'public';

-- dearest-lines: the first rows by a number of few values, beside a quotient
select receipt_no, line, paid / quantity as each, paid
from store_sales
where paid is not null
order by quantity desc, receipt_no, line
limit 25;

-- first-by-till: the first rows by a text of few values
select till, receipt_no, line, payment
from store_sales
order by till desc, payment, receipt_no desc, line
limit 20;

-- notes-in-order: the first rows by long text
select call_note, order_no, line
from catalog_sales
where call_note is not null
order by call_note desc, order_no, line
limit 15;

-- frequent-pairs: the first groups of hundreds of thousands that nearly all tie, with means
select customer_id, product_id, count(*) as times, avg(unit_price) as price, avg(quantity) as pieces
from store_sales
where customer_id is not null
group by customer_id, product_id
order by times desc, customer_id, product_id
limit 20;

-- three-best-of-each: the three dearest lines of each product
select count(*) as lines, sum(paid) as paid, max(place) as places
from (select paid, row_number() over (partition by product_id order by paid desc nulls last, receipt_no, line) as place from store_sales) r
where place <= 3;

-- best-with-ties: products whose class has at most two better ones, ties together
select count(*) as products, sum(list_price) as prices
from (select list_price, rank() over (partition by class order by list_price desc) as place from products) r
where place < 4;

-- wanted-codes: lines of goods whose codes a colleague sent as a list
select p.category, count(*) as times, sum(s.paid) as paid
from store_sales s
join products p on p.product_id = s.product_id
where p.code in (
    'AA-000076', 'AA-004706', 'AA-005438', 'AC-009965', 'AC-010304', 'AC-014692', 'AC-015522', 'AC-016324',
    'AE-002696', 'AE-012015', 'AE-013326', 'AG-004865', 'AI-001526', 'AI-003138', 'AI-006064', 'AK-000173',
    'AK-001947', 'AK-002822', 'AM-006089', 'AM-016371', 'AO-006242', 'AO-008995', 'AS-005832', 'AU-003691',
    'AW-003077', 'AW-009375', 'AY-001032', 'AY-017257', 'BB-012799', 'BB-015951', 'BD-007262', 'BF-001332',
    'BF-016591', 'BH-004916', 'BH-007553', 'BJ-009472', 'BL-003757', 'BN-014237', 'BP-001365', 'BP-004544',
    'BP-014884', 'BP-015158', 'BP-015557', 'BT-002998', 'BT-008094', 'BT-016843', 'BT-016935', 'BV-010204',
    'BV-012979', 'BV-013794', 'BV-015073', 'BX-004215', 'BZ-010733', 'CA-004066', 'CE-014998', 'CG-000237',
    'CG-016655', 'CK-009958', 'CQ-001313', 'CQ-013846', 'CQ-016594', 'CQ-017115', 'CS-000064', 'CS-010985',
    'CU-000951', 'CW-001890', 'CW-002211', 'CY-001225', 'DD-008418', 'DF-014765', 'DL-005106', 'DL-014197',
    'DN-015911', 'DP-011450', 'DR-001520', 'DR-010850', 'DR-011663', 'DR-016544', 'DV-002323', 'DV-003087',
    'DV-003205', 'DV-015029', 'DX-006617', 'DX-008067', 'DX-015968', 'DZ-013642', 'EA-001402', 'EA-014986',
    'EC-001548', 'EC-012154', 'EC-012824', 'EG-009697', 'EG-010221', 'EK-015349', 'EK-015909', 'EM-014058',
    'EO-014259', 'EQ-004846', 'EQ-009950', 'EQ-016504', 'ES-004852', 'EU-000658', 'EU-005988', 'FB-007912',
    'FB-016030', 'FF-001400', 'FF-005758', 'FJ-005740', 'FN-002422', 'FN-010455', 'FR-010164', 'FR-011111',
    'FT-012990', 'FV-009081', 'FX-006462', 'FX-013567', 'GA-003005', 'GA-011051', 'GC-001998', 'GC-002106',
    'GC-004614', 'GC-009324', 'GC-014792', 'GE-009356', 'GE-011833', 'GI-013129', 'GI-016538', 'GK-015943',
    'GK-015952', 'GM-007519', 'GO-000116', 'GO-002262', 'GO-003978', 'GO-010588', 'GU-008229', 'GU-011895',
    'HB-004705', 'HD-013246', 'HF-008864', 'HF-015561', 'HH-003371', 'HH-014247', 'HJ-004278', 'HJ-005753',
    'HJ-006731', 'HJ-008057', 'HJ-014890', 'HN-004031', 'HN-004547', 'HN-015831', 'HR-001424', 'HR-008149',
    'HR-008776', 'HT-000399', 'HT-008954', 'HT-012633', 'HV-009948', 'HV-016558', 'HX-015412', 'HX-017345',
    'HZ-007953', 'HZ-009325', 'HZ-009625', 'IA-004912', 'IA-008238', 'IA-014405', 'IC-007491', 'IC-008842',
    'IC-014101', 'IE-011291', 'IE-016022', 'II-000803', 'II-011319', 'II-016971', 'IK-009298', 'IK-009332',
    'IK-012981', 'IM-007637', 'IO-003989', 'IS-005201', 'IS-011828', 'IU-013057', 'IU-015990', 'IW-003026',
    'IW-011238', 'IW-012122', 'JB-009263', 'JB-013265', 'JD-004116', 'JD-017869', 'JF-008372', 'JJ-002031',
    'JL-006024', 'JL-011565', 'JL-016546', 'JN-008675', 'JP-016776', 'JT-008635', 'JT-009312', 'JT-010544',
    'JT-013027', 'JT-013788', 'JT-015255', 'JV-002802', 'JZ-002097', 'JZ-008232', 'JZ-009202', 'KA-008959',
    'KA-009231', 'KA-014047', 'KC-003765', 'KC-012161', 'KE-001108', 'KE-005846', 'KE-007974', 'KE-009814',
    'KG-001386', 'KG-007038', 'KG-015202', 'KI-006115', 'KI-014941', 'KI-015251', 'KK-014678', 'KM-009653',
    'KO-016265', 'KQ-013955', 'KS-010528', 'KU-001874', 'KW-005062', 'KW-008706', 'KW-009195', 'KW-009988',
    'KW-012106', 'KW-015445', 'KW-017606', 'KY-002894', 'KY-005418', 'KY-013372', 'LB-010846', 'LB-014481',
    'LF-000996', 'LF-003812', 'LF-012524', 'LF-014177', 'LF-017402', 'LH-007577', 'LH-015463', 'LJ-015145',
    'LJ-017197', 'LL-005892', 'LL-017399', 'LN-001920', 'LN-006629', 'LP-006806', 'LT-012873', 'LV-003219',
    'LV-008063', 'LV-012721', 'LX-002866', 'LX-006793', 'MA-002787', 'MA-016471', 'MC-004989', 'MC-011183',
    'MC-014532', 'ME-006437', 'ME-015169', 'MG-010644', 'MG-016007', 'MI-007935', 'MI-008858', 'MI-009570',
    'MI-017758', 'MK-007313', 'MK-014254', 'MM-017148', 'MO-001524', 'MO-006409', 'MO-013368', 'MS-003145',
    'MS-007497', 'MS-008692', 'MU-002098', 'MW-010886', 'MY-010903', 'NB-000724', 'ND-007789', 'ND-014953',
    'NF-004727', 'NF-009328', 'NF-009420', 'NF-011125', 'NH-008881', 'NH-011623', 'NJ-003549', 'NJ-012278',
    'NJ-017939', 'NL-002507', 'NL-015095', 'NP-009385', 'NP-011599', 'NT-007860', 'NT-015628', 'NV-004662',
    'NV-006285', 'NV-010700', 'NV-011261', 'NV-015366', 'NX-012191', 'NZ-010781', 'OA-012036', 'OA-012758',
    'OA-015605', 'OA-016311', 'OC-016385', 'OI-003912', 'OK-004452', 'OK-010833', 'OM-002567', 'OM-005380',
    'OM-005385', 'OM-011604', 'OM-012000', 'OO-001688', 'OO-008027', 'OO-009048', 'OO-017355', 'OQ-008586',
    'OQ-009786', 'OS-001150', 'OS-002278', 'OS-013836', 'OS-016350', 'OS-016723', 'OW-003276', 'OW-014462',
    'OW-015096', 'PB-016568', 'PD-008549', 'PH-000360', 'PH-002199', 'PH-005476', 'PH-014208', 'PJ-000715',
    'PJ-010651', 'PL-003167', 'PL-016259', 'PP-016138', 'PT-015598', 'PV-005139', 'PV-006463', 'PV-009217',
    'PV-014697', 'PZ-010663', 'QA-000462', 'QC-000142', 'QC-002119', 'QC-011816', 'QE-007727', 'QE-016048',
    'QE-016133', 'QG-009685', 'QG-017979', 'QI-001574', 'QK-010765', 'QK-014938', 'QK-017043', 'QM-006383',
    'QM-013852', 'QO-007494', 'QQ-004619', 'QQ-008915', 'QS-008239', 'QU-003407', 'QY-002623', 'QY-013869',
    'RB-000787', 'RB-013302', 'RB-016416', 'RD-004574', 'RD-007297', 'RD-011693', 'RF-004930', 'RF-009616',
    'RF-010417', 'RH-011815', 'RH-017202', 'RJ-004178', 'RJ-012755', 'RL-008366', 'RN-000676', 'RN-006602',
    'RN-011219', 'RN-013168', 'RP-001605', 'RP-008588', 'RP-011135', 'RP-016417', 'RR-007796', 'RT-013078',
    'RT-016799', 'RV-006002', 'RV-007223', 'RX-005245', 'RX-011667', 'RZ-017753', 'SA-009351', 'SC-003924',
    'SC-004968', 'SC-005124', 'SC-005673', 'SE-013975', 'SG-001725', 'SG-003079', 'SG-007810', 'SG-015619',
    'SG-016173', 'SI-017814', 'SK-009613', 'SM-005591', 'SM-005657', 'SQ-011587', 'SQ-013856', 'SS-007874',
    'SU-011187', 'SU-016535', 'SW-000670', 'SW-005594', 'SW-005972', 'SY-014322', 'TB-013708', 'TD-015643',
    'TD-015998', 'TF-001910', 'TF-005785', 'TF-008458', 'TH-001994', 'TH-007471', 'TL-006846', 'TL-011348',
    'TN-002656', 'TN-004408', 'TN-008769', 'TN-014855', 'TN-015966', 'TP-007747', 'TT-015224', 'TV-002915',
    'TV-011392', 'TV-011778', 'TV-012025', 'TX-002029', 'TZ-008539', 'UA-004120', 'UC-016354', 'UE-004179',
    'UG-005835', 'UG-007827', 'UI-007671', 'UI-012007', 'UK-012132', 'UK-013658', 'UK-014927', 'UK-015926',
    'UO-008297', 'UQ-015155', 'US-007586', 'US-007844', 'US-014229', 'US-016454', 'UU-011602', 'UW-001499',
    'UW-004381', 'UY-003867', 'UY-017255', 'VB-006956', 'VF-001584', 'VF-002381', 'VF-006511', 'VH-012262',
    'VH-015406', 'VJ-001566', 'VJ-002914', 'VJ-006922', 'VJ-007333', 'VJ-009006', 'VJ-011060', 'VN-002978',
    'VN-007149', 'VN-010469', 'VP-006983', 'VP-016919', 'VR-001004', 'VR-010836', 'VR-011477', 'VR-014332',
    'VT-001892', 'VT-012891', 'VX-000827', 'VX-004979', 'VX-007070', 'WE-008068', 'WG-016100', 'WI-013025',
    'WK-006158', 'WK-011202', 'WM-001895', 'WM-010230', 'WO-001857', 'WQ-008944', 'WQ-009481', 'WQ-012307',
    'WQ-013754', 'WS-007359', 'WU-012932', 'WU-013232', 'WW-003947', 'WW-004159', 'WW-011692', 'WW-014813',
    'WW-014856', 'WW-017517', 'WY-001310', 'WY-003078', 'XB-008463', 'XD-000036', 'XD-011246', 'XF-004914',
    'XF-014243', 'XH-014488', 'XJ-011455', 'XJ-015596', 'XJ-016606', 'XL-003436', 'XL-013193', 'XN-000911',
    'XR-004378', 'XT-008025', 'XT-009590', 'XV-006151', 'XV-009723', 'XX-005614', 'XZ-003240', 'XZ-012268',
    'XZ-013718', 'XZ-016422', 'XZ-017060', 'YA-000877', 'YA-004870', 'YA-006815', 'YA-017534', 'YC-000642',
    'YC-004560', 'YC-004832', 'YC-006458', 'YC-008889', 'YC-013154', 'YG-002022', 'YG-003597', 'YG-009001',
    'YG-012615', 'YG-014760', 'YI-017885', 'YK-006267', 'YK-010705', 'YK-014791', 'YM-001423', 'YM-008414',
    'YO-001991', 'YO-006978', 'YQ-002644', 'YS-000285', 'YS-013052', 'YU-013686', 'YY-010319', 'ZB-005176',
    'ZB-010400', 'ZB-015811', 'ZD-015355', 'ZF-002414', 'ZF-017085', 'ZH-002745', 'ZH-002790', 'ZJ-014538',
    'ZN-001075', 'ZP-003703', 'ZP-004950', 'ZP-005292', 'ZR-002778', 'ZR-010712', 'ZR-017305', 'ZT-010321',
    'ZT-010584', 'ZV-009651', 'ZV-016093', 'ZX-007487', 'ZX-009053', 'ZZ-000583', 'ZZ-008630', 'ZZ-016299')
group by p.category
order by p.category;

-- wanted-receipts: receipts whose numbers a colleague sent as a list
select count(*) as lines, sum(paid) as paid, min(sold_on) as first
from store_sales
where receipt_no in (
    1000279, 1000627, 1001809, 1002043, 1002148, 1002736, 1002814, 1004113, 1004515, 1005517, 1005646, 1005931,
    1006858, 1007065, 1009243, 1009969, 1009984, 1010035, 1010620, 1013692, 1016452, 1017898, 1018081, 1018435,
    1019425, 1022194, 1023331, 1023949, 1028644, 1031584, 1032901, 1034266, 1034302, 1035058, 1036765, 1037164,
    1038151, 1039060, 1039594, 1039675, 1040668, 1041706, 1042312, 1045192, 1045630, 1046053, 1047628, 1048552,
    1048729, 1049149, 1049491, 1050163, 1050712, 1051768, 1053151, 1053256, 1053262, 1053295, 1053628, 1054147,
    1054819, 1057933, 1058230, 1058908, 1059124, 1059970, 1060138, 1061053, 1062199, 1063483, 1063936, 1063939,
    1064119, 1064641, 1065508, 1065607, 1067074, 1068415, 1068553, 1069207, 1069465, 1071694, 1073434, 1075144,
    1075681, 1075918, 1075954, 1076137, 1076269, 1076395, 1077034, 1077475, 1077817, 1079257, 1080781, 1081186,
    1081309, 1081537, 1082626, 1083949, 1084876, 1085350, 1085497, 1085551, 1086991, 1088284, 1088734, 1091821,
    1094584, 1096774, 1097521, 1097611, 1098427, 1098856, 1099516, 1100140, 1100296, 1101814, 1101928, 1102198,
    1102756, 1103047, 1103437, 1103725, 1104406, 1105534, 1105570, 1106062, 1106683, 1110652, 1113505, 1115035,
    1118146, 1118233, 1120165, 1122370, 1122580, 1123063, 1124278, 1124824, 1125778, 1126579, 1126735, 1127029,
    1127215, 1127545, 1128007, 1129351, 1132249, 1133698, 1134355, 1135537, 1135729, 1137577, 1138033, 1140031,
    1142323, 1142680, 1142956, 1143277, 1143370, 1144252, 1145644, 1149655, 1150504, 1150687, 1151659, 1153921,
    1154611, 1156411, 1157092, 1158139, 1159468, 1159861, 1159975, 1160125, 1160953, 1164454, 1164535, 1165021,
    1165498, 1165591, 1166377, 1167292, 1167790, 1168090, 1168414, 1168477, 1168705, 1171114, 1171267, 1171375,
    1171453, 1171513, 1171879, 1172365, 1172893, 1175992, 1176112, 1176367, 1177225, 1178056, 1178581, 1181002,
    1185172, 1187509, 1188337, 1188808, 1190173, 1190575, 1193551, 1193881, 1194574, 1197631, 1197982, 1198270,
    1199203, 1199563, 1200142, 1200241, 1201273, 1202041, 1204432, 1204897, 1207015, 1207654, 1208644, 1208728,
    1209082, 1210333, 1211941, 1214200, 1217686, 1217953, 1219564, 1221313, 1222354, 1223095, 1223206, 1223764,
    1224127, 1225819, 1227427, 1227580, 1229458, 1229944, 1230238, 1233283, 1234222, 1234849, 1234930, 1235089,
    1237438, 1237996, 1239181, 1241152, 1242814, 1243087, 1243153, 1244305, 1245343, 1246120, 1246258, 1249492,
    1249717, 1249918, 1250188, 1250377, 1250425, 1251559, 1252090, 1252747, 1253110, 1253590, 1254262, 1254505,
    1254511, 1255660, 1257460, 1258894, 1259677, 1259695, 1260517, 1260766, 1263190, 1265407, 1266223, 1266679,
    1267024, 1267969, 1268584, 1269124, 1269817, 1270036, 1270192, 1272406, 1274683, 1274770, 1275865, 1278013,
    1279588, 1281169, 1282435, 1286410, 1287736, 1287778, 1289569, 1290223, 1291207, 1291783, 1292014, 1292137,
    1294618, 1296091, 1297699, 1298170, 1298605, 1299919, 1301317, 1301518, 1301890, 1302628, 1302925, 1303603,
    1304674, 1305028, 1305316, 1305388, 1306615, 1307386, 1307833, 1307872, 1308457, 1308580, 1310170, 1310260,
    1310344, 1310389, 1311550, 1312906, 1313296, 1313488, 1313815, 1315222, 1317772, 1317940, 1318939, 1319542,
    1319932, 1319974, 1319986, 1320340, 1320826, 1321153, 1322425, 1322779, 1323574, 1324192, 1326214, 1326955,
    1327663, 1327690, 1330309, 1333393, 1334938, 1337716, 1339678, 1340641, 1341304, 1342324, 1343098, 1346068,
    1347802, 1348297, 1348603, 1349293, 1351258, 1351663, 1352005, 1352728, 1355386, 1356703, 1357447, 1358362,
    1361833, 1363030, 1363369, 1363510, 1363930, 1363933, 1364161, 1365370, 1365811, 1366306, 1367380, 1367779,
    1367839, 1368358, 1369258, 1369516, 1370017, 1370413, 1371367, 1371418, 1371529, 1373395, 1373818, 1374247,
    1375387, 1376113, 1376176, 1381195, 1383130, 1383913, 1385884, 1386844, 1387831, 1388587, 1388590, 1388980,
    1389172, 1389409, 1390090, 1390783, 1390801, 1390852, 1392049, 1392151, 1394860, 1395817, 1396036, 1396411,
    1396708, 1398268, 1398958, 1399594, 1399759, 1400944, 1402246, 1403755, 1404250, 1404559, 1404628, 1406359,
    1406881, 1408861, 1409209, 1409470, 1409524, 1409848, 1410331, 1410766, 1411186, 1412359, 1413454, 1413970,
    1414132, 1415611, 1415770, 1416421, 1416637, 1416841, 1417273, 1417954, 1418362, 1420714, 1421002, 1424296,
    1425049, 1426276, 1426507, 1428313, 1430680, 1432525, 1432780, 1433527, 1436494, 1437565, 1438204, 1439452,
    1439722, 1440097, 1441402, 1441666, 1442530, 1443148, 1444480, 1445584, 1445593, 1446268, 1449244, 1450165,
    1451584, 1451986, 1452430, 1452796, 1453510, 1455865, 1457656, 1459450, 1461913, 1462078, 1462300, 1463143,
    1463887, 1464964, 1466170, 1467775, 1467778, 1468354, 1472275, 1472407, 1473172, 1473673, 1474228, 1474249,
    1474399, 1474927, 1475170, 1476799, 1477072, 1477738, 1477807, 1481632, 1483492, 1483804, 1484050, 1484773,
    1485541, 1486615, 1487701, 1490284, 1490461, 1490758, 1491040, 1491301, 1491754, 1493446, 1494193, 1494706,
    1496398, 1497145, 1497586, 1497784, 1501864, 1501960, 1502194, 1502605, 1504618, 1508521, 1508560, 1509352,
    1509925, 1510468, 1512373, 1513285, 1513636, 1513765, 1513792, 1514122, 1514716, 1515583, 1515622, 1516015,
    1516768, 1517854, 1520347, 1521127, 1521715, 1523503, 1525420, 1526863, 1527721, 1529293, 1531708, 1531945,
    1532056, 1533310, 1534798, 1537849, 1540534, 1541002, 1542421, 1545439, 1546075, 1547047, 1547269, 1548118,
    1548349, 1550029, 1551025, 1551913, 1551919, 1552807, 1558306, 1559335, 1560928, 1561750, 1561798, 1563988,
    1564984, 1565881, 1566457, 1566625, 1567345, 1569154, 1569877, 1570909, 1571587, 1572178, 1572676, 1572913,
    1573666, 1574389, 1574617, 1576036, 1577947, 1578850, 1579294, 1579927, 1580299, 1582300, 1583284, 1584265,
    1584805, 1585024, 1585453, 1585477, 1585525, 1586227, 1586632, 1587226, 1588054, 1588066, 1590073, 1590715,
    1590985, 1591561, 1592719, 1592758, 1594324, 1595515, 1596595, 1596820, 1597891, 1602151, 1603312, 1603561,
    1603732, 1604344, 1604860, 1607935, 1610104, 1610398, 1611382, 1612177, 1613158, 1613668, 1614565, 1615807,
    1615873, 1616065, 1617976, 1618639, 1618858, 1619833, 1620109, 1620286, 1620649, 1621747, 1622962, 1623415,
    1623985, 1625641, 1626406, 1628743, 1628761, 1629211, 1629682, 1631143, 1632217, 1634596, 1636198, 1636651,
    1636966, 1637668, 1638565, 1638910, 1638925, 1641343, 1641994, 1643293, 1644541, 1646134, 1646266, 1647721,
    1649248, 1649467, 1649872, 1649965, 1650982, 1651291, 1652527, 1653121, 1653343, 1654594, 1655011, 1655632,
    1655929, 1656964, 1657213, 1660627, 1660714, 1660888, 1661476, 1662268, 1663951, 1666507, 1666525, 1667401,
    1668781, 1669630, 1670911, 1672276, 1672786, 1673266, 1673281, 1676233, 1677271, 1679218, 1679842, 1680181,
    1682881, 1684072, 1685851, 1685857, 1686145, 1686475, 1686787, 1687678, 1688017, 1689469, 1690168, 1691110,
    1695154, 1695646, 1695889, 1697965, 1701274, 1702042, 1702738, 1702783, 1703011, 1705108, 1706137, 1706395,
    1707223, 1707724, 1708270, 1708984, 1709128, 1709140, 1711699, 1712485, 1712566, 1716805, 1717858, 1719310,
    1720825, 1724602, 1724746, 1724941, 1724944, 1724968, 1726690, 1728481, 1729675, 1729888, 1731559, 1731799,
    1731811, 1732549, 1735495, 1736338, 1737580, 1738447, 1742611, 1742680, 1743892, 1744306, 1744384, 1744693,
    1746376, 1746736, 1746955, 1747405, 1747588, 1748812, 1750435, 1751710, 1755142, 1757632, 1759276, 1759978,
    1760488, 1762921, 1763743, 1764631, 1768177, 1769917, 1770427, 1771162, 1771504, 1771996, 1773037, 1773370,
    1773643, 1775188, 1775332, 1776166, 1777909, 1779550, 1779661, 1779769, 1780990, 1781830, 1783108, 1783513,
    1783774, 1783780, 1784032, 1787383, 1788301, 1789918, 1791772, 1792060, 1792309, 1792603, 1793260, 1793449,
    1794103, 1795879, 1797358, 1797952, 1798114, 1798546, 1799920, 1802413, 1803673, 1804489, 1805125, 1806358,
    1806370, 1810243, 1811764, 1814086, 1814572, 1815148, 1815721, 1819711, 1820173, 1820611, 1821316, 1821610,
    1822747, 1822990, 1823479, 1824445, 1824865, 1825435, 1827763, 1827811, 1830253, 1830868, 1832398, 1834588,
    1834750, 1836019, 1836046, 1839742, 1839904, 1840087, 1842583, 1843612, 1845376, 1846012, 1846837, 1847086,
    1851751, 1856605, 1857109, 1860358, 1861591, 1861999, 1863859, 1865155, 1865245, 1865290, 1865683, 1866526,
    1867435, 1867507, 1869154, 1870951, 1871032, 1871605, 1873222, 1874314, 1876591, 1882579, 1882777, 1884469,
    1884487, 1888987, 1889338, 1890394, 1891057, 1891630, 1892002, 1895560, 1895929, 1897066, 1901035, 1903264,
    1903672, 1908109, 1908793, 1909126, 1909555, 1909858, 1910953, 1912327, 1914745, 1916389, 1916806, 1917283,
    1917907, 1920646, 1921492, 1923547, 1926559, 1926694, 1928731, 1930957, 1932007, 1934419, 1935418, 1935541,
    1936747, 1936981, 1937626, 1937656, 1942810, 1942963, 1944493, 1945387, 1945654, 1946677, 1946875, 1948270,
    1948501, 1952131, 1952551, 1955128, 1955740, 1956430, 1959601, 1960144, 1963408, 1963597, 1964452, 1965001,
    1965931, 1966885, 1967176, 1967899, 1968673, 1968964, 1970422, 1970977, 1972462, 1972933, 1973431, 1975093,
    1975657, 1975714, 1976770, 1976830, 1978270, 1978627, 1979299, 1980832, 1981354, 1982413, 1983682, 1984012,
    1984555, 1985356, 1986250, 1987651);

-- price-per-piece: quotients of decimals, summed by product
select p.category, sum(s.paid / s.quantity) as prices, sum((s.list_price - s.unit_price) / 4) as quarters
from store_sales s
join products p on p.product_id = s.product_id
group by p.category
order by p.category;

-- margins-as-keys: how many lines have which margin in percent (quotients as keys)
select round(100 * cost / unit_price + 0.00013, 0) as percent, count(*) as lines
from store_sales
where unit_price > 0
group by 1
order by lines desc, percent
limit 30;

-- restless-products: products by month whose daily pieces vary much (deviations of many groups)
select product_id, date_trunc('month', sold_on)::date as month, round(stddev_samp(quantity), 6) as deviation
from store_sales
group by 1, 2
having stddev_samp(quantity) > 0.6 * avg(quantity) and count(*) > 8
order by deviation desc, product_id, month
limit 30;

-- middle-receipts: median and tails of what customers pay, by shop
select shop_id, percentile_cont(0.1) within group (order by paid) as low, percentile_cont(0.5) within group (order by paid) as middle,
       percentile_cont(0.9) within group (order by paid) as high
from store_sales
group by shop_id
order by shop_id;

-- what-was-in-it: the goods of each receipt of a day as a list
select receipt_no, string_agg(p.code, ', ' order by p.code) as codes
from store_sales s
join products p on p.product_id = s.product_id
where s.sold_on >= date '2024-11-01'
group by receipt_no
order by receipt_no
limit 100;

-- ways-to-pay: the ways to pay that a customer has used, each once
select ways, count(*) as customers
from (select customer_id, string_agg(distinct payment, '+' order by payment) as ways from store_sales group by customer_id) x
group by ways
order by ways;

-- fields-of-events: what devices visitors of the web shop had, out of events in JSON
select event::json->>'device' as device, count(*) as times, sum((event::json->>'seconds')::double precision) as seconds
from (select '{"device": "' || coalesce(device, 'none') || '", "seconds": ' || coalesce(session_seconds, 0) || ', "of": {"line": ' || line || '}}' as event
      from web_sales) e
group by 1
order by 1;

-- deep-fields: a field within a field as a condition
select count(*) as times
from (select '{"order": {"no": "' || order_no || '", "line": ' || line || '}, "device": null}' as event from web_sales) e
where event::json->'order'->>'line' = '3';

-- campaigns: the number of a campaign out of a web address
select regexp_replace(referrer, '^https://([a-zA-Z.]+)/.*id=([0-9]+)$', '\1 \2') as campaign, count(*) as visits
from web_sales
where referrer is not null
group by 1
order by visits desc, campaign
limit 20;

-- complaints: notes in which one word follows another
select count(*) as notes, max(length(regexp_replace(call_note, '[aeiou]', '', 'g'))) as consonants
from catalog_sales
where call_note ~ '.*(hard|long).*(rain|snow).*';

-- codes-put-together: a join on a text that is computed
select count(*) as lines, sum(w.quantity) as pieces
from web_sales w
join (select 'W' || extract(year from ordered_on)::int || '-' || lpad((line * 7 * 1001)::text, 9, '0') as made, line from catalog_sales) c on c.made = w.order_no;

-- sessions-from-events: visits of web customers, a new one begins after thirty days without an order
select visits, count(*) as customers
from (select customer_id, sum(begins) as visits
      from (select customer_id, case when ordered_at - lag(ordered_at) over (partition by customer_id order by ordered_at) <= interval '30 days'
                                     then 0 else 1 end as begins
            from web_sales where customer_id is not null) as events
      group by customer_id) as each
group by visits
order by visits;

-- funnel: of customers who first bought in a store, how many went on to order by catalog, and then on the web
select count(*) as stores, count(c.at) as catalogs, count(w.at) as webs
from (select customer_id, min(sold_on) as at from store_sales where customer_id is not null group by customer_id) s
left join lateral (select min(ordered_on) as at from catalog_sales where buyer_id = s.customer_id and ordered_on > s.at) c on true
left join lateral (select min(ordered_on) as at from web_sales where customer_id = s.customer_id and ordered_on > c.at) w on true;

-- retention: how many of the customers of a month come again one, two and three months later
with months as (select distinct customer_id, (extract(year from sold_on) * 12 + extract(month from sold_on))::int as month from store_sales where customer_id is not null)
select m.month, count(*) as customers, count(a.month) as next, count(b.month) as second, count(c.month) as third
from months m
left join months a on a.customer_id = m.customer_id and a.month = m.month + 1
left join months b on b.customer_id = m.customer_id and b.month = m.month + 2
left join months c on c.customer_id = m.customer_id and c.month = m.month + 3
group by m.month
order by m.month;

-- islands: the longest runs of days on which a shop sold something of each product that it stocks
select shop_id, product_id, min(sold_on) as first, count(*) as days
from (select shop_id, product_id, sold_on, sold_on - (row_number() over (partition by shop_id, product_id order by sold_on))::int as island
      from (select distinct shop_id, product_id, sold_on from store_sales where shop_id <= 20) as days) as runs
group by shop_id, product_id, island
order by days desc, shop_id, product_id, first
limit 20;

-- month-by-days: revenue of the last thirty days, for each day and kind of payment (a window that moves in time)
select payment, sold_on, sum(paid) over (partition by payment order by sold_on range between interval '29 days' preceding and current row) as month
from (select payment, sold_on, sum(paid) as paid from store_sales group by payment, sold_on) as days
order by payment, sold_on;

-- share-of-total: each product's share of what its category sold, the largest first
select category, code, sum(paid) as paid, round(100 * sum(paid) / sum(sum(paid)) over (partition by category), 4) as percent
from store_sales s
join products p on p.product_id = s.product_id
group by category, code
order by percent desc, category, code
limit 30;

-- bought-earlier: lines of customers who had bought the same product in another shop before
select count(*) as lines
from store_sales a
where exists (select * from store_sales b
              where b.customer_id = a.customer_id and b.product_id = a.product_id and b.shop_id <> a.shop_id and b.sold_on < a.sold_on);

-- customers-by-name: names of customers as keys of groups behind a join
select c.last_name, c.first_name, count(*) as lines, sum(s.paid) as paid
from store_sales s
join customers c on c.customer_id = s.customer_id
group by c.last_name, c.first_name
order by paid desc, c.last_name, c.first_name
limit 20;

-- favourite-till: how often each customer of a segment came to the till that they came to most (an aggregate of groups in a subquery)
select count(*) as customers, sum(most) as visits, max(most) as most
from (
    select (
        select max(visits) from (
            select count(*) as visits from store_sales s where s.customer_id = c.customer_id group by s.till
        ) tills
    ) as most
    from customers c
) x;

-- best-three: what the three dearest lines of each customer come to (the first rows in a subquery)
select count(best) as customers, sum(best) as paid, max(best) as most
from (
    select (
        select sum(paid) from (
            select s.paid from store_sales s where s.customer_id = c.customer_id and s.paid is not null
            order by s.paid desc, s.receipt_no, s.line limit 3
        ) dearest
    ) as best
    from customers c
) x;

-- longest-absence: the longest time between two days on which a customer bought something in stores (a window in a subquery)
select count(absent) as customers, max(absent) as longest, sum(absent) as days
from (
    select (
        select max(away) from (
            select s.sold_on - lag(s.sold_on) over (order by s.sold_on, s.receipt_no, s.line) as away
            from store_sales s where s.customer_id = c.customer_id
        ) visits
    ) as absent
    from customers c
) x;

-- never-much: customers of whom no till has taken more than in ten thousand of their income (ALL over groups)
select count(*) as customers, sum(income) as income
from customers c
where c.income > all (
    select sum(s.paid) * 100 from store_sales s where s.customer_id = c.customer_id and s.paid is not null group by s.till
);

-- ways-to-buy: how many different products each customer has bought, whichever way (a union in a subquery)
select count(*) as customers, sum(products) as products, max(products) as most
from (
    select (
        select count(*) from (
            select s.product_id from store_sales s where s.customer_id = c.customer_id
            union
            select w.product_id from web_sales w where w.customer_id = c.customer_id
        ) bought
    ) as products
    from customers c
) x;

-- regulars: customers who have come to some till more than ten times (EXISTS of groups)
select count(*) as customers, min(customer_id) as first
from customers c
where exists (
    select 1 from store_sales s where s.customer_id = c.customer_id group by s.till having count(*) > 10
);

-- few-who-ask: the same as favourite-till, of a few customers
select c.customer_id, (
    select max(visits) from (
        select count(*) as visits from store_sales s where s.customer_id = c.customer_id group by s.till
    ) tills
) as most
from customers c
where c.customer_id between 1000000 and 1000100
order by c.customer_id;

-- few-who-ask-in-order: the same as longest-absence, of a few customers
select c.customer_id, (
    select max(away) from (
        select s.sold_on - lag(s.sold_on) over (order by s.sold_on, s.receipt_no, s.line) as away
        from store_sales s where s.customer_id = c.customer_id
    ) visits
) as absent
from customers c
where c.customer_id between 1000000 and 1000100
order by c.customer_id;
